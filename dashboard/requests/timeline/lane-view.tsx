import { isThin, type LaneLayout, type MarkLabel } from "./layout.js";
import { exactDuration } from "./ticks.js";
import { phaseNames, type Segment } from "./turn-times.js";

/** Thin and short segments can be pointed at as well. */
const MIN_TARGET = 10;
/** How far a mark stands out of its bar, at both ends. */
const MARK_BEYOND = 4;
/** The height of a line of names for marks. */
export const LABEL_HEIGHT = 16;

/** A segment, by the numbers of its lane and of its box. */
export interface Place {
  readonly lane: number;
  readonly box: number;
}

/** What all lanes of a plot have in common. */
export interface PlotFrame {
  readonly width: number;
  readonly gutter: number;
  readonly isNarrow: boolean;
  /** Of a lane. */
  readonly height: number;
  /** The names of marks; none where there are several lanes. */
  readonly labels: readonly MarkLabel[];
  /** The segment that the tab key leads to. */
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

/** One request on the axis: its name, its segments, its marks, and how long it took. */
export function LaneView({ layout, index, isOwn, href, frame }: LaneViewProps) {
  const { lane, boxes, marks, endX } = layout;
  const { width, height, gutter, isNarrow, labels } = frame;
  const y = index * height;
  const middle = y + height / 2;
  const markHeight = Math.round(height * 0.5) + 2 * MARK_BEYOND;
  const places = boxes.map((box, place) => ({ box, place }));
  // What was too short to be seen lies over its neighbours.
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
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it has the focus only to say what it is
    <g
      role="img"
      aria-label={segmentLabel(segment, number)}
      // In a drawing, names of attributes are written as they are in SVG.
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
