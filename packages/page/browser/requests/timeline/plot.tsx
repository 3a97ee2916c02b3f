import { useEffect, useRef, useState } from "preact/hooks";
import { useWidth } from "../../parts/plot/use-width.js";
import { LABEL_HEIGHT, LaneView, type Place } from "./lane-view.js";
import { labelsOf, laneHeight, layoutLanes } from "./layout.js";
import { exactDuration, ticksOf } from "./ticks.js";
import { phaseNames, type Segment, type TurnTimes } from "./turn-times.js";

const AXIS_HEIGHT = 22;
/** Room for the duration at the end of a lane. */
const END_ROOM = 58;
/** Width of a tick's label, with some room. */
const TICK_ROOM = 58;
/** Narrower plots have short lane names. */
const NARROW = 520;
const TIP_ROOM = 108;

interface PlotProps {
  readonly times: TurnTimes;
  readonly own: number;
  readonly hrefOf: (id: string) => string;
  readonly label: string;
}

/** The lanes of a turn under one axis. Arrow keys move from segment to segment, and each is read out. */
export function Plot({ times, own, hrefOf, label }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [active, setActive] = useState<Place>();
  const [last, setLast] = useState<Place>({ lane: 0, box: 0 });
  const isNarrow = width < NARROW;
  const gutter = isNarrow ? 24 : 84;
  const plotWidth = Math.max(40, width - gutter - END_ROOM);
  const lanes = layoutLanes(times, plotWidth);
  const height = laneHeight(lanes.length);
  const labels = lanes.length === 1 ? labelsOf(lanes[0]?.marks ?? [], plotWidth) : [];
  const labelLines = Math.max(0, ...labels.map(({ line }) => line + 1));
  const lanesHeight = lanes.length * height + labelLines * LABEL_HEIGHT;
  const ticks = ticksOf(times.wholeMs, Math.floor(plotWidth / TICK_ROOM));
  const xOf = (ms: number) => gutter + (ms / times.wholeMs) * plotWidth;

  // Scroll to the open request in a turn of many.
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = own * height - scroller.current.clientHeight / 2;
  }, [own, lanes.length]);

  const boxCounts = lanes.map(({ boxes }) => boxes.length);
  const stop = nearestPlace(last, boxCounts);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = placeAfter(event.key, active ?? stop, boxCounts);
    if (next === undefined) return;
    event.preventDefault();
    setLast(next);
    frame.current?.querySelector<SVGElement>(`[data-place="${next.lane}-${next.box}"]`)?.focus();
  };
  const shown = active && lanes[active.lane]?.boxes[active.box];
  return (
    <div class="timeline anchor narrows" ref={frame}>
      <svg width={width} height={AXIS_HEIGHT} aria-hidden="true">
        {ticks.map(({ atMs, text }) => (
          <text key={atMs} x={xOf(atMs)} y={14} text-anchor={atMs === 0 ? "start" : "middle"}>
            {text}
          </text>
        ))}
      </svg>
      <div class="timeline-lanes" ref={scroller}>
        {/* biome-ignore lint/a11y/useSemanticElements: nothing in HTML is a group of shapes */}
        <svg role="group" aria-label={label} width={width} height={lanesHeight} onKeyDown={onKeyDown}>
          {ticks.map(({ atMs }) => (
            <path key={atMs} style={{ stroke: "var(--line)" }} d={`M${xOf(atMs)} 0v${lanes.length * height}`} />
          ))}
          {lanes.map((layout, index) => (
            <LaneView
              key={layout.lane.number}
              layout={layout}
              index={index}
              isOwn={index === own && lanes.length > 1}
              href={hrefOf(layout.lane.id)}
              frame={{ width, gutter, isNarrow, height, labels, stop, active, onPoint: setActive }}
            />
          ))}
        </svg>
      </div>
      {shown !== undefined && active !== undefined && (
        <Tip
          segment={shown.segment}
          x={Math.min(Math.max(gutter + shown.x + shown.width / 2, TIP_ROOM), Math.max(TIP_ROOM, width - TIP_ROOM))}
          y={AXIS_HEIGHT + active.lane * height - (scroller.current?.scrollTop ?? 0)}
        />
      )}
    </div>
  );
}

function Tip({ segment, x, y }: { readonly segment: Segment; readonly x: number; readonly y: number }) {
  return (
    <div class="timeline-tip column tiny rounded one-line" style={{ left: `${x}px`, top: `${y}px` }} aria-hidden="true">
      <strong>
        {phaseNames[segment.phase]} {exactDuration(segment.toMs - segment.fromMs)}
      </strong>
      <span>
        from {exactDuration(segment.fromMs)} to {exactDuration(segment.toMs)}
      </span>
    </div>
  );
}

/** The place itself if it still exists, else the first segment; undefined if there are none. */
export function nearestPlace({ lane, box }: Place, boxCounts: readonly number[]): Place | undefined {
  if ((boxCounts[lane] ?? 0) > box) return { lane, box };
  const first = boxCounts.findIndex((count) => count > 0);
  return first < 0 ? undefined : { lane: first, box: 0 };
}

/** Where a key leads: to the previous or next segment, or to the one above or below. Skips empty lanes. */
export function placeAfter(key: string, from: Place | undefined, boxCounts: readonly number[]): Place | undefined {
  if (from === undefined) return undefined;
  const all = boxCounts.flatMap((count, lane) => Array.from({ length: count }, (_, box): Place => ({ lane, box })));
  const at = all.findIndex(({ lane, box }) => lane === from.lane && box === from.box);
  switch (key) {
    case "ArrowRight":
      return all[at + 1];
    case "ArrowLeft":
      return all[at - 1];
    case "Home":
      return all[0];
    case "End":
      return all.at(-1);
    case "ArrowDown":
      return inLane(all.find(({ lane }) => lane > from.lane)?.lane);
    case "ArrowUp":
      return inLane(all.findLast(({ lane }) => lane < from.lane)?.lane);
    default:
      return undefined;
  }

  function inLane(lane: number | undefined): Place | undefined {
    return lane === undefined || from === undefined
      ? undefined
      : { lane, box: Math.min(from.box, (boxCounts[lane] ?? 1) - 1) };
  }
}
