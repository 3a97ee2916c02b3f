import { isThin, type LaneLayout, type MarkLabel } from "./layout.js";
import { exactDuration } from "./ticks.js";
import { phaseNames, type Segment } from "./turn-times.js";

/** Minimum width for pointing, also at short segments. */
const MIN_TARGET = 10;
/** How far a mark extends beyond its bar, at both ends. */
const MARK_BEYOND = 4;
/** Height of a line of mark labels. */
export const LABEL_HEIGHT = 16;

/** A segment, by the indexes of its lane and box. */
export interface Place {
  readonly lane: number;
  readonly box: number;
}

/** Properties shared by all lanes of a plot. */
export interface PlotFrame {
  readonly width: number;
  readonly gutter: number;
  readonly isNarrow: boolean;
  /** Height of a lane. */
  readonly height: number;
  /** Labels of the marks; empty with several lanes. */
  readonly labels: readonly MarkLabel[];
  /** The segment reached with the Tab key. */
  readonly stop: Place | undefined;
  readonly active: Place | undefined;
  readonly onPoint: (place: Place | undefined) => void;
}

interface LaneViewProps {
  readonly layout: LaneLayout;
  readonly index: number;
  readonly isOwn: boolean;
  readonly href: string;
  readonly frame: PlotFrame;
}

/** One request on the axis: its name, segments, marks and duration. */
export function LaneView({ layout, index, isOwn, href, frame }: LaneViewProps) {
  const { lane, boxes, marks, endX } = layout;
  const { width, height, gutter, isNarrow, labels } = frame;
  const y = index * height;
  const middle = y + height / 2;
  const markHeight = Math.round(height * 0.5) + 2 * MARK_BEYOND;
  const places = boxes.map((box, place) => ({ box, place }));
  // Widened segments are drawn over their neighbours.
  const inOrder = [...places.filter(({ box }) => !box.isWidened), ...places.filter(({ box }) => box.isWidened)];
  return (
    <g>
      {isOwn && <rect class="plot-pointed" opacity={0.55} y={y + 1} width={width} height={height - 2} rx={6} />}
      <a href={href} aria-label={`Request ${lane.number}`} aria-current={isOwn ? "true" : undefined}>
        <text x={6} y={middle + 4}>
          {isNarrow ? String(lane.number) : `Request ${lane.number}`}
        </text>
      </a>
      <g transform={`translate(${gutter} 0)`}>
        {marks.map(({ x }) => (
          <path key={x} style={{ stroke: "var(--ink-faint)" }} d={`M${x} ${middle - markHeight / 2}v${markHeight}`} />
        ))}
        {inOrder.map(({ box, place }) => (
          <SegmentView key={place} box={box} number={lane.number} place={{ lane: index, box: place }} frame={frame} />
        ))}
        {labels.map(({ x, anchor, text, line }) => (
          <text key={text} x={x} y={y + height + 10 + line * LABEL_HEIGHT} text-anchor={anchor}>
            {text}
          </text>
        ))}
        <text class="timeline-end" x={endX + 8} y={middle + 4}>
          {lane.isRunning ? "running" : exactDuration(lane.toMs - lane.fromMs)}
        </text>
      </g>
    </g>
  );
}

interface SegmentViewProps extends Pick<LaneViewProps, "frame"> {
  readonly box: LaneLayout["boxes"][number];
  readonly number: number;
  readonly place: Place;
}

function SegmentView({ box, number, place, frame: { height, stop, active, onPoint } }: SegmentViewProps) {
  const { x, width, segment } = box;
  const barHeight = Math.round(height * 0.5);
  const drawn = isThin(segment.phase) ? Math.max(4, Math.round(barHeight * 0.35)) : barHeight;
  const target = Math.max(MIN_TARGET, width);
  const y = place.lane * height;
  const top = y + height / 2 - drawn / 2;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: focusable only to be read out
    <g
      role="img"
      aria-label={segmentLabel(segment, number)}
      // SVG attribute names are lower case.
      tabindex={isSame(place, stop) ? 0 : -1}
      data-place={`${place.lane}-${place.box}`}
      class={`timeline-segment no-ring ${isSame(place, active) ? "active" : ""}`}
      onPointerEnter={() => onPoint(place)}
      onPointerLeave={() => onPoint(undefined)}
      onFocus={() => onPoint(place)}
      onBlur={() => onPoint(undefined)}
    >
      <rect class={`timeline-phase ${segment.phase}`} x={x} y={top} width={width} height={drawn} rx={2} />
      <rect fill="transparent" x={x + width / 2 - target / 2} y={y} width={target} height={height} />
    </g>
  );
}

function isSame(place: Place, other: Place | undefined): boolean {
  return place.lane === other?.lane && place.box === other.box;
}

function segmentLabel({ phase, fromMs, toMs }: Segment, number: number): string {
  const times = `${exactDuration(toMs - fromMs)}, from ${exactDuration(fromMs)} to ${exactDuration(toMs)}`;
  return `Request ${number}, ${phaseNames[phase]}: ${times}`;
}
