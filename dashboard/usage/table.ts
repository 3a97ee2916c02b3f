/** A cell: its value for spreadsheets, and its text for people. */
export interface Cell {
  readonly value: string | number | null;
  readonly text: string;
}

export interface Column<Row> {
  readonly title: string;
  readonly cellOf: (row: Row) => Cell;
  /** What stands under it: the sum, or what all come to. */
  readonly all: Cell;
  /** Which of the gateway's sums that is, if it is one of them. */
  readonly sum?: string;
}

/** The first column has names, the others have numbers. */
export interface Table<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** The table as CSV, without the sums: whoever adds up a column would have everything twice. */
export function toCsv<Row>({ columns, rows }: Pick<Table<Row>, "columns" | "rows">): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cellOf }) => cellOf(row).value)),
  ];
  return lines.map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(value: string | number | null): string {
  if (value === null) return "";
  // Adding up fractions leaves digits behind that mean nothing.
  if (typeof value === "number") return String(Number(value.toPrecision(12)));
  // Spreadsheets take such a cell for a formula, and names come from clients.
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
