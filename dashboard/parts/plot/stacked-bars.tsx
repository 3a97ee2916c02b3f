import { useMemo, useRef } from "preact/hooks";
import { placeAfter } from "../keys.js";
import { AXIS_PX, Labels, Lines, type Tick, TOP_PX } from "./axes.js";
import { barX, type ColumnLabel, columnAt, divideWidth, stackValues } from "./columns.js";
import { useWidth } from "./use-width.js";

export interface Bar {
  readonly key: string;
  /** One for each colour, the first one at the bottom. */
  readonly values: readonly number[];
  readonly spoken: string;
  /** Whether its ground is a little darker, as that of weekends is. */
  readonly isShaded: boolean;
}

interface StackedBarsProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  /** Colours of tokens.css, such as `--of-cached`, in the order of the values. */
  readonly colors: readonly string[];
  /** From zero up to the top of the plot. */
  readonly ticks: readonly Tick[];
  readonly labelsFor: (stepPx: number) => readonly ColumnLabel[];
  /** The bars before which something new begins, such as a month. */
  readonly separators: readonly number[];
  /** The bar of now, from which one begins to walk; -1 if there is none. */
  readonly current: number;
  /** The bar that is pointed at, by the pointer or with the keyboard. */
  readonly pointed: number | undefined;
  readonly onPoint: (index: number | undefined) => void;
}

const LABELS_PX = 26;
const sliderSteps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -7, PageUp: 7 };

/** Bars over time, and a slider for the keyboard and screen readers: arrow keys go from bar to bar, and each is read out. */
export function StackedBars(props: StackedBarsProps) {
  const { label, bars, colors, ticks, labelsFor, separators, current, pointed, onPoint } = props;
  const element = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(element);
  const heightPx = widthPx < 560 ? 180 : 240;
  const columns = useMemo(
    () => divideWidth(widthPx - AXIS_PX, bars.length, devicePixelRatio || 1),
    [widthPx, bars.length],
  );
  // Pointing at another bar draws nothing of this again.
  const drawn = useMemo(
    () => (
      <>
        <Lines ticks={ticks} widthPx={widthPx} heightPx={heightPx} />
        <g transform={`translate(${AXIS_PX} ${TOP_PX})`}>
          {separators.map((index) => (
            <path
              key={index}
              class="plot-separator"
              d={`M${columns.startPx + index * columns.stepPx - 0.5} 0v${heightPx}`}
            />
          ))}
          {bars.map(({ key, values }, index) => (
            <Stack
              key={key}
              values={values}
              colors={colors}
              max={ticks.at(-1)?.value ?? 0}
              x={barX(columns, index)}
              widthPx={columns.barPx}
              heightPx={heightPx}
            />
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
    // A finger leaves the screen to let one read; and what was clicked at stays until something else is.
    if (event.pointerType !== "touch" && document.activeElement !== element.current) onPoint(undefined);
  };
  const walk = (event: KeyboardEvent) => {
    const next = placeAfter(event.key, sliderSteps, { from: shown, count: bars.length });
    if (next === undefined && event.key !== "Escape") return;
    event.preventDefault();
    onPoint(next);
  };
  const xOf = (index: number) => columns.startPx + index * columns.stepPx;
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

interface StackProps {
  readonly values: readonly number[];
  readonly colors: readonly string[];
  readonly max: number;
  readonly x: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

const RADIUS_PX = 4;
/** Between two colours, where both are high enough for it. */
const GAP_PX = 1;

function Stack({ values, colors, max, x, widthPx, heightPx }: StackProps) {
  const segments = stackValues(values, max, heightPx);
  return (
    <g>
      {segments.map(({ index, fromPx, toPx }, at) => {
        const isTop = at === segments.length - 1;
        const gapPx = !isTop && toPx - fromPx > 3 * GAP_PX ? GAP_PX : 0;
        const ownPx = toPx - fromPx - gapPx;
        const radiusPx = isTop ? Math.min(RADIUS_PX, widthPx / 3, ownPx) : 0;
        const path = barPath(x, heightPx - toPx + gapPx, widthPx, ownPx, radiusPx);
        return <path key={index} d={path} style={{ fill: `var(${colors[index]})` }} />;
      })}
    </g>
  );
}

/** A bar that stands on its base, with corners of this radius at the top. */
function barPath(x: number, y: number, width: number, height: number, r: number): string {
  return `M${x} ${y + height}v${r - height}q0 ${-r} ${r} ${-r}h${width - 2 * r}q${r} 0 ${r} ${r}v${height - r}z`;
}
