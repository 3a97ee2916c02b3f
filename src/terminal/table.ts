const GAP = 2;

interface TableOptions {
  /** Columns of numbers, which are aligned on the right. */
  readonly right?: readonly number[];
  readonly dim: (text: string) => string;
}

/** Columns made with spaces alone: readable on a terminal, in a pipe and to a screen reader. Ends with a line break. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { right = [], dim }: TableOptions,
): string {
  const widths = columnWidths([head, ...rows]);
  const lines = rows.map((cells) => alignedLine(cells, widths, right));
  return `${[dim(alignedLine(head, widths, right)), ...lines].join("\n")}\n`;
}

export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const [head = []] = rows;
  return head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
}

/** The columns that fit into a width: those in `spare` go first, in this order, and then the last column is cut. */
export function fittedRows(
  rows: readonly (readonly string[])[],
  width: number,
  spare: readonly number[],
): readonly (readonly string[])[] {
  const total = columnWidths(rows).reduce((sum, each) => sum + each + GAP, -GAP);
  if (total <= width) return rows;
  const [first, ...rest] = spare;
  if (first !== undefined) {
    const remaining = rest.map((each) => (each > first ? each - 1 : each));
    return fittedRows(
      rows.map((row) => row.toSpliced(first, 1)),
      width,
      remaining,
    );
  }
  return rows.map((row) => {
    const last = row.at(-1) ?? "";
    const room = Math.max(1, Math.max(...rows.map((each) => each.at(-1)?.length ?? 0)) - (total - width));
    return [...row.slice(0, -1), last.length > room ? `${last.slice(0, room - 1)}…` : last];
  });
}

/** One line of a table. A cell that is too long moves the rest of its line. */
export function alignedLine(cells: readonly string[], widths: readonly number[], right: readonly number[]): string {
  return cells
    .map((cell, column) =>
      right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
    .join(" ".repeat(GAP))
    .trimEnd();
}

/** Rows without a value are left out. */
export type Row = readonly [name: string, text: string | null];

export function listing(
  rows: readonly Row[],
  { minWidth, dim }: { minWidth: number; dim: TableOptions["dim"] },
): string {
  const shown = rows.filter(([, text]) => text !== null);
  const width = Math.max(minWidth, ...shown.map(([name]) => name.length));
  return shown.map(([name, text]) => `${dim(name.padEnd(width))} ${text}\n`).join("");
}
