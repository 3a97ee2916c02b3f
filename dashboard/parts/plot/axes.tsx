import type { ColumnLabel, Columns } from "./columns.js";

/** What is left of the bars and above them. */
export const AXIS_PX = 44;
export const TOP_PX = 10;
const LABEL_PX = 40;

export interface Tick {
  readonly value: number;
  readonly text: string;
}

interface LinesProps {
  readonly ticks: readonly Tick[];
  readonly widthPx: number;
  readonly heightPx: number;
}

export function Lines({ ticks, widthPx, heightPx }: LinesProps) {
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

/** Names stand under the middle of their bars; the last one keeps within the plot. */
export function Labels({ labels, columns: { startPx, stepPx }, y, count }: LabelsProps) {
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
