import { type Box, isThin, type LaneLayout, type MarkLabel } from "./layout.js";
import { exactDuration } from "./ticks.js";
import { phaseNames, type Segment } from "./turn-times.js";

/** Thin and short segments can be pointed at as well. */
const MIN_TARGET = 10;
const MARK_HEIGHT = 4;
/** The height of a line of names for marks. */
export const LABEL_HEIGHT = 16;

interface LaneViewProps {
  readonly layout: LaneLayout;
  readonly index: number;
  readonly y: number;
  readonly height: number;
  /** Where the axis begins. */
  readonly gutter: number;
  readonly width: number;
  readonly isOwn: boolean;
  readonly href: string;
  readonly name: string;
  /** The names of its marks; none where there are several lanes. */
  readonly labels: readonly MarkLabel[];
  /** The segment that the tab key leads to. */
  readonly stop: number | undefined;
  readonly activeBox: number | undefined;
  readonly onEnter: (box: number) => void;
  readonly onLeave: () => void;
}

/** One request on the axis: its name, its segments, its marks, and how long it took. */
export function LaneView(props: LaneViewProps) {
  const { layout, y, height, gutter, width, isOwn, href, name, labels } = props;
  const { lane, boxes, marks, endX } = layout;
  const middle = y + height / 2;
  const barHeight = Math.round(height * 0.5);
  const places = boxes.map((box, index) => ({ box, index }));
  // What was too short to be seen lies over its neighbours.
  const inOrder = [...places.filter(({ box }) => !box.isWidened), ...places.filter(({ box }) => box.isWidened)];
  return (
    <g>
      {isOwn && <rect class="requests-plot-own" x={0} y={y + 1} width={width} height={height - 2} rx={6} />}
      <a
        href={href}
        class="requests-plot-name"
        aria-label={`Request ${lane.number}`}
        aria-current={isOwn ? "true" : undefined}
      >
        <text x={6} y={middle + 4}>
          {name}
        </text>
      </a>
      <g transform={`translate(${gutter} 0)`}>
        {marks.map(({ x }) => (
          <line
            key={x}
            class="requests-plot-mark"
            x1={x}
            x2={x}
            y1={middle - barHeight / 2 - MARK_HEIGHT}
            y2={middle + barHeight / 2 + MARK_HEIGHT}
          />
        ))}
        {inOrder.map(({ box, index }) => (
          <SegmentView
            key={index}
            box={box}
            label={segmentLabel(box.segment, lane.number)}
            place={`${props.index}-${index}`}
            y={y}
            height={height}
            barHeight={barHeight}
            isStop={props.stop === index}
            isActive={props.activeBox === index}
            onEnter={() => props.onEnter(index)}
            onLeave={props.onLeave}
          />
        ))}
        {labels.map(({ x, anchor, text, line }) => (
          <text
            key={text}
            class="requests-plot-label"
            x={x}
            y={y + height + 10 + line * LABEL_HEIGHT}
            text-anchor={anchor}
          >
            {text}
          </text>
        ))}
        <text class="requests-plot-end" x={endX + 8} y={middle + 4}>
          {lane.isRunning ? "running" : exactDuration(lane.toMs - lane.fromMs)}
        </text>
      </g>
    </g>
  );
}

interface SegmentViewProps {
  readonly box: Box;
  readonly label: string;
  /** By which it is found. */
  readonly place: string;
  readonly y: number;
  readonly height: number;
  readonly barHeight: number;
  /** The tab key leads to it. */
  readonly isStop: boolean;
  readonly isActive: boolean;
  readonly onEnter: () => void;
  readonly onLeave: () => void;
}

function SegmentView({ box, label, place, y, height, barHeight, isStop, isActive, ...on }: SegmentViewProps) {
  const { phase } = box.segment;
  const drawn = isThin(phase) ? Math.max(4, Math.round(barHeight * 0.35)) : barHeight;
  const target = Math.max(MIN_TARGET, box.width);
  const middle = y + height / 2;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it has the focus only to say what it is
    <g
      role="img"
      aria-label={label}
      // In a drawing, names of attributes are written as they are in SVG.
      tabindex={isStop ? 0 : -1}
      data-place={place}
      class={`requests-plot-segment ${isActive ? "active" : ""}`}
      onPointerEnter={on.onEnter}
      onPointerLeave={on.onLeave}
      onFocus={on.onEnter}
      onBlur={on.onLeave}
    >
      <rect
        class={`requests-phase ${phase}`}
        x={box.x}
        y={middle - drawn / 2}
        width={box.width}
        height={drawn}
        rx={2}
      />
      <rect class="requests-plot-target" x={box.x + box.width / 2 - target / 2} y={y} width={target} height={height} />
    </g>
  );
}

function segmentLabel({ phase, fromMs, toMs }: Segment, number: number): string {
  const times = `${exactDuration(toMs - fromMs)}, from ${exactDuration(fromMs)} to ${exactDuration(toMs)}`;
  return `Request ${number}, ${phaseNames[phase]}: ${times}`;
}
