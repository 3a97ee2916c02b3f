import type { Moment, Phase, Segment, TurnTimes } from "./turn-times.js";

/** Shorter segments are drawn this wide, over their neighbours, which stay in place. */
export const MIN_WIDTH = 3;
/** Moments closer than this share a mark. */
const MERGED_PX = 5;
/** Requests narrower than this have no marks, which would hide them. */
const MARKED_PX = 24;
/** Average width of a letter in a label, with some room. */
const LETTER_PX = 6.4;
const LABEL_GAP_PX = 10;

/** One or more moments at one position. */
export interface Mark {
  readonly x: number;
  readonly moments: readonly Moment[];
}

export type LaneLayout = ReturnType<typeof layoutLanes>[number];

export function layoutLanes({ lanes, wholeMs }: TurnTimes, widthPx: number) {
  const xOf = (ms: number) => (ms / wholeMs) * widthPx;
  return lanes.map((lane) => ({
    lane,
    boxes: lane.segments.map((segment) => boxOf(segment, xOf, widthPx)),
    marks: xOf(lane.toMs - lane.fromMs) < MARKED_PX ? [] : marksOf(lane.moments, xOf),
    endX: xOf(lane.toMs),
  }));
}

function boxOf(segment: Segment, xOf: (ms: number) => number, widthPx: number) {
  const x = xOf(segment.fromMs);
  const width = xOf(segment.toMs) - x;
  if (width >= MIN_WIDTH) return { segment, x, width, isWidened: false };
  return { segment, x: Math.max(0, Math.min(x, widthPx - MIN_WIDTH)), width: MIN_WIDTH, isWidened: true };
}

function marksOf(moments: readonly Moment[], xOf: (ms: number) => number): Mark[] {
  const marks: { x: number; moments: Moment[] }[] = [];
  for (const moment of moments) {
    const x = xOf(moment.atMs);
    const last = marks.at(-1);
    if (last !== undefined && x - last.x < MERGED_PX) last.moments.push(moment);
    else marks.push({ x, moments: [moment] });
  }
  return marks;
}

export interface MarkLabel {
  readonly x: number;
  readonly anchor: "start" | "middle" | "end";
  readonly text: string;
  readonly line: number;
}

/** Labels for marks. Overlapping ones move to the next line. */
export function labelsOf(marks: readonly Mark[], widthPx: number): MarkLabel[] {
  const labels: MarkLabel[] = [];
  for (const mark of marks) {
    const label = labelOf(mark, widthPx);
    const isFree = (line: number) => labels.every((each) => each.line !== line || isApart(label, each));
    let line = 0;
    while (!isFree(line)) line++;
    labels.push({ ...label, line });
  }
  return labels;
}

function labelOf({ x, moments }: Mark, widthPx: number): MarkLabel {
  const text = moments.map(({ name }) => name).join(", ");
  const half = (text.length * LETTER_PX) / 2;
  const anchor = x < half ? "start" : x > widthPx - half ? "end" : "middle";
  return { x, anchor, text, line: 0 };
}

function isApart(one: MarkLabel, other: MarkLabel): boolean {
  const [a, b] = [extentOf(one), extentOf(other)];
  return a.to + LABEL_GAP_PX <= b.from || b.to + LABEL_GAP_PX <= a.from;
}

function extentOf({ x, anchor, text }: MarkLabel): { from: number; to: number } {
  const width = text.length * LETTER_PX;
  const from = x - { start: 0, middle: width / 2, end: width }[anchor];
  return { from, to: from + width };
}

/** Many lanes get a smaller height, so that more are visible at once. */
export function laneHeight(lanes: number): number {
  if (lanes <= 6) return 36;
  return lanes <= 14 ? 26 : 20;
}

/** Phases of mere waiting are thin, so that they can be recognised without colours. */
export function isThin(phase: Phase): boolean {
  return phase === "cursor" || phase === "client-tools";
}
