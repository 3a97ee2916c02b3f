/** Where the bars of a plot stand. All of them are equally wide, and so are the gaps. */
export interface Columns {
  /** From where one bar begins to where the next one begins. */
  readonly stepPx: number;
  readonly barPx: number;
  /** Where the first step begins. What is left over is before it, so that the last bar ends at the right edge. */
  readonly startPx: number;
}

const MAX_BAR_PX = 56;

/** Divides a width among bars. Edges lie on the screen's pixels, because narrow bars would look unequal otherwise. */
export function divideWidth(widthPx: number, count: number, pixelsPerPx: number): Columns {
  const toPixels = (px: number) => Math.floor(px * pixelsPerPx) / pixelsPerPx;
  const stepPx = toPixels(Math.max(0, widthPx) / Math.max(1, count));
  const gapPx = stepPx >= 6 ? stepPx * 0.28 : stepPx >= 3 ? 1 : stepPx / 3;
  return { stepPx, barPx: Math.min(MAX_BAR_PX, toPixels(stepPx - gapPx)), startPx: widthPx - stepPx * count };
}

export function barX({ stepPx, barPx, startPx }: Columns, index: number): number {
  return startPx + index * stepPx + Math.floor((stepPx - barPx) / 2);
}

/** The bar whose step a place is in; the nearest one outside of all of them. */
export function columnAt({ stepPx, startPx }: Columns, x: number, count: number): number {
  const index = stepPx > 0 ? Math.floor((x - startPx) / stepPx) : 0;
  return Math.min(Math.max(index, 0), count - 1);
}

/** Stacks values in their order, the first one at the base line. A stack with anything in it can be seen. */
export function stackValues(values: readonly number[], max: number, heightPx: number) {
  const pxOf = (value: number) => (max > 0 ? (value / max) * heightPx : 0);
  const segments: { index: number; fromPx: number; toPx: number }[] = [];
  let sum = 0;
  for (const [index, value] of values.entries()) {
    if (!(value > 0)) continue;
    segments.push({ index, fromPx: pxOf(sum), toPx: pxOf(sum + value) });
    sum += value;
  }
  if (sum > 0 && pxOf(sum) < MIN_STACK_PX) {
    const largest = segments.reduce((a, b) => (b.toPx - b.fromPx > a.toPx - a.fromPx ? b : a));
    return [{ index: largest.index, fromPx: 0, toPx: MIN_STACK_PX }];
  }
  return segments;
}

const MIN_STACK_PX = 1.5;

export interface ColumnLabel {
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
