export interface ColumnLabel {
  /** The column that it stands under. */
  readonly index: number;
  readonly text: string;
  readonly isStrong: boolean;
}

/** The first of these sets of labels that has room: the more of them there are, the earlier they come. */
export function thinOut(sets: readonly (readonly ColumnLabel[])[], stepPx: number, minPx: number): ColumnLabel[] {
  const hasRoom = (labels: readonly ColumnLabel[]) =>
    labels.every(({ index }, at) => at === 0 || (index - (labels[at - 1]?.index ?? 0)) * stepPx >= minPx);
  return [...(sets.find(hasRoom) ?? [])];
}

/** Adds a label that must be there, and takes away those that are too near to it. */
export function withLabel(
  labels: readonly ColumnLabel[],
  fixed: ColumnLabel,
  stepPx: number,
  minPx: number,
): ColumnLabel[] {
  return [...labels.filter(({ index }) => Math.abs(index - fixed.index) * stepPx >= minPx), fixed];
}
