import { useMemo, useRef } from "preact/hooks";
import { placeAfter } from "../keys.js";
import { barX, type ColumnLabel, type Columns, columnAt, divideWidth, stackValues } from "./columns.js";
import { useWidth } from "./use-width.js";

export interface Bar {
  readonly key: string;
  /** One per colour, from the bottom up. */
  readonly values: readonly number[];
  readonly spoken: string;
  /** Darker background, as for weekends. */
  readonly isShaded: boolean;
}

interface StackedBarsProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  /** Colours of tokens.css, such as `--of-cached`, in the order of the values. */
  readonly colors: readonly string[];
  /** From zero up to the top of the plot. */
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
  readonly labelsFor: (stepPx: number) => readonly ColumnLabel[];
  /** Bars preceded by a separator, such as the first of a month. */
  readonly separators: readonly number[];
  /** The current bar, where keyboard navigation starts; -1 if none. */
  readonly current: number;
  /** The bar selected by pointer or keyboard. */
  readonly pointed: number | undefined;
  readonly onPoint: (index: number | undefined) => void;
}

/** Space to the left of the bars and above them. */
const AXIS_PX = 44;
const TOP_PX = 10;
const LABEL_PX = 40;
const LABELS_PX = 26;
const sliderSteps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -7, PageUp: 7 };

/** Bars over time; a slider for keyboard and screen readers: arrow keys move from bar to bar, and each is read out. */
export function StackedBars(props: StackedBarsProps) {
  const { label, bars, colors, ticks, labelsFor, separators, current, pointed, onPoint } = props;
  const element = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(element);
  const heightPx = widthPx < 560 ? 180 : 240;
  const columns = useMemo(
    () => divideWidth(widthPx - AXIS_PX, bars.length, devicePixelRatio || 1),
    [widthPx, bars.length],
  );
  const xOf = (index: number) => columns.startPx + index * columns.stepPx;
  // Memoized: pointing at another bar does not redraw this.
  const drawn = useMemo(
    () => (
      <>
        <Lines ticks={ticks} widthPx={widthPx} heightPx={heightPx} />
        <g transform={`translate(${AXIS_PX} ${TOP_PX})`}>
          {separators.map((index) => (
            <path key={index} class="plot-separator" d={`M${xOf(index) - 0.5} 0v${heightPx}`} />
          ))}
          {bars.map(({ key, values }, index) => (
            <g key={key} transform={`translate(${barX(columns, index)} 0)`}>
              {stackPaths(values, ticks.at(-1)?.value ?? 0, columns.barPx, heightPx).map(({ index, path }) => (
                <path key={index} d={path} style={{ fill: `var(${colors[index]})` }} />
              ))}
            </g>
          ))}
          <Labels labels={labelsFor(columns.stepPx)} columns={columns} y={heightPx + 18} count={bars.length} />
        </g>
      </>
    ),
    [bars, colors, ticks, labelsFor, separators, columns, widthPx, heightPx],
  );
  const shown = pointed ?? Math.max(0, current);
  const point = (event: PointerEvent) => {
    const left = element.current?.getBoundingClientRect().left ?? 0;
    onPoint(columnAt(columns, event.clientX - left - AXIS_PX, bars.length));
  };
  const leave = (event: PointerEvent) => {
    // Keep it after a touch, so that it can be read, and while the plot has the focus.
    if (event.pointerType !== "touch" && document.activeElement !== element.current) onPoint(undefined);
  };
  const walk = (event: KeyboardEvent) => {
    const next = placeAfter(event.key, sliderSteps, { from: shown, count: bars.length });
    if (next === undefined && event.key !== "Escape") return;
    event.preventDefault();
    onPoint(next);
  };
  return (
    <div
      ref={element}
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={bars.length - 1}
      aria-valuenow={shown}
      aria-valuetext={bars[shown]?.spoken}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={leave}
      onKeyDown={walk}
      onFocus={() => pointed === undefined && onPoint(shown)}
      onBlur={() => onPoint(undefined)}
    >
      <svg width={widthPx} height={heightPx + LABELS_PX + TOP_PX} aria-hidden="true" focusable="false">
        <g transform={`translate(${AXIS_PX} ${TOP_PX})`}>
          {bars.map(
            ({ key, isShaded }, index) =>
              isShaded && (
                <rect key={key} class="plot-shaded" x={xOf(index)} width={columns.stepPx} height={heightPx} />
              ),
          )}
          {pointed !== undefined && (
            <rect class="plot-pointed" x={xOf(pointed)} y={-TOP_PX} width={columns.stepPx} height={heightPx + TOP_PX} />
          )}
        </g>
        {drawn}
      </svg>
    </div>
  );
}

interface LinesProps extends Pick<StackedBarsProps, "ticks"> {
  readonly widthPx: number;
  readonly heightPx: number;
}

function Lines({ ticks, widthPx, heightPx }: LinesProps) {
  const top = ticks.at(-1)?.value ?? 0;
  return (
    <g class="plot-lines">
      {ticks.map(({ value, text }) => {
        const y = TOP_PX + heightPx - (top > 0 ? Math.round((value / top) * heightPx) : 0);
        return (
          <g key={value}>
            <path class={value === 0 ? "plot-base" : "plot-line"} d={`M${AXIS_PX} ${y + 0.5}H${widthPx}`} />
            <text x={0} y={y + 4}>
              {text}
            </text>
          </g>
        );
      })}
    </g>
  );
}

interface LabelsProps {
  readonly labels: readonly ColumnLabel[];
  readonly columns: Columns;
  readonly y: number;
  readonly count: number;
}

/** Labels are centred under their bars; the last one stays within the plot. */
function Labels({ labels, columns: { startPx, stepPx }, y, count }: LabelsProps) {
  return (
    <g class="plot-labels">
      {labels.map(({ index, text, isStrong }) => {
        const isAtTheEnd = (count - index - 0.5) * stepPx < LABEL_PX / 2;
        const anchor = isAtTheEnd ? "end" : "middle";
        const x = startPx + (anchor === "end" ? count : index + 0.5) * stepPx;
        return (
          <text key={index} class={isStrong ? "plot-strong" : undefined} x={x} y={y} text-anchor={anchor}>
            {text}
          </text>
        );
      })}
    </g>
  );
}

const RADIUS_PX = 4;
/** Gap between two colours, if the lower one is high enough. */
const GAP_PX = 1;

/** The paths of a bar's segments, from its base up. */
function stackPaths(values: readonly number[], max: number, widthPx: number, heightPx: number) {
  const segments = stackValues(values, max, heightPx);
  return segments.map(({ index, fromPx, toPx }, at) => {
    const isTop = at === segments.length - 1;
    const gapPx = !isTop && toPx - fromPx > 3 * GAP_PX ? GAP_PX : 0;
    const ownPx = toPx - fromPx - gapPx;
    const radiusPx = isTop ? Math.min(RADIUS_PX, widthPx / 3, ownPx) : 0;
    return { index, path: barPath(heightPx - toPx + gapPx, widthPx, ownPx, radiusPx) };
  });
}

/** A bar with rounded top corners. */
function barPath(y: number, width: number, height: number, r: number): string {
  return `M0 ${y + height}v${r - height}q0 ${-r} ${r} ${-r}h${width - 2 * r}q${r} 0 ${r} ${r}v${height - r}z`;
}
