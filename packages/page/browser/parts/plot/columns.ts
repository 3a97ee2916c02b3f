/** Positions of the bars of a plot. All bars have the same width, and so have the gaps. */
export interface Columns {
  /** Distance from the start of one bar to the start of the next. */
  readonly stepPx: number;
  readonly barPx: number;
  /** Start of the first step. The remainder is on its left, so that the last bar ends at the right edge. */
  readonly startPx: number;
}

const MAX_BAR_PX = 56;

/** Divides a width among bars. Edges are aligned to screen pixels, or narrow bars would look unequal. */
export function divideWidth(widthPx: number, count: number, pixelsPerPx: number): Columns {
  const toPixels = (px: number) => Math.floor(px * pixelsPerPx) / pixelsPerPx;
  const stepPx = toPixels(Math.max(0, widthPx) / Math.max(1, count));
  const gapPx = stepPx >= 6 ? stepPx * 0.28 : stepPx >= 3 ? 1 : stepPx / 3;
  return { stepPx, barPx: Math.min(MAX_BAR_PX, toPixels(stepPx - gapPx)), startPx: widthPx - stepPx * count };
}

export function barX({ stepPx, barPx, startPx }: Columns, index: number): number {
  return startPx + index * stepPx + Math.floor((stepPx - barPx) / 2);
}

/** The bar at a position; outside of all bars, the nearest one. */
export function columnAt({ stepPx, startPx }: Columns, x: number, count: number): number {
  const index = stepPx > 0 ? Math.floor((x - startPx) / stepPx) : 0;
  return Math.min(Math.max(index, 0), count - 1);
}

/** Stacks values in order, starting at the base line. A stack above zero is always visible. */
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

/** The first set of labels that fits; sets are ordered from dense to sparse. */
export function thinOut(sets: readonly (readonly ColumnLabel[])[], stepPx: number, minPx: number): ColumnLabel[] {
  const hasRoom = (labels: readonly ColumnLabel[]) =>
    labels.every(({ index }, at) => at === 0 || (index - (labels[at - 1]?.index ?? 0)) * stepPx >= minPx);
  return [...(sets.find(hasRoom) ?? [])];
}

/** Adds a required label, and removes those too close to it. */
export function withLabel(
  labels: readonly ColumnLabel[],
  fixed: ColumnLabel,
  stepPx: number,
  minPx: number,
): ColumnLabel[] {
  return [...labels.filter(({ index }) => Math.abs(index - fixed.index) * stepPx >= minPx), fixed];
}
