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

/** How many columns fit side by side, at least one. */
export function fittingColumns(rows: readonly (readonly string[])[], width: number): number {
  let used = -2;
  const tooMany = columnWidths(rows).findIndex((column) => {
    used += column + 2;
    return used > width;
  });
  return tooMany < 0 ? (rows[0]?.length ?? 0) : Math.max(1, tooMany);
}

/** One line of a table. A cell that is too long moves the rest of its line. */
export function alignedLine(cells: readonly string[], widths: readonly number[], right: readonly number[]): string {
  return cells
    .map((cell, column) =>
      right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
    .join("  ")
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
