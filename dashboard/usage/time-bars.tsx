import { useCallback, useMemo, useState } from "preact/hooks";
import { StackedBars } from "../parts/plot/stacked-bars.js";
import { countTick, dollarTick, roundTicks } from "../parts/plot/ticks.js";
import { measures } from "./question.js";
import { Readout } from "./readout.js";
import { monthStarts, timeLabels } from "./time-labels.js";
import type { TimePlot } from "./time-plot.js";

const MOST_STEPS = 5;

interface TimeBarsProps {
  readonly plot: TimePlot;
  readonly rangeName: string;
}

/** Bars over time, with the values of the one that somebody points at. */
export function TimeBars({ plot, rangeName }: TimeBarsProps) {
  const { measure, unit, slots } = plot;
  const [wanted, point] = useState<number>();
  const pointed = wanted === undefined ? undefined : Math.min(wanted, slots.length - 1);
  const drawing = useMemo(() => drawingOf(plot), [plot]);
  const labelsFor = useCallback((stepPx: number) => timeLabels(slots, unit, stepPx), [slots, unit]);
  return (
    <>
      <Readout plot={plot} rangeName={rangeName} pointed={pointed} />
      <StackedBars
        label={`${measures[measure]} by ${unit}. The arrow keys go from ${unit} to ${unit}`}
        labelsFor={labelsFor}
        pointed={pointed}
        onPoint={point}
        {...drawing}
      />
    </>
  );
}

/** All of the plot that changes with its numbers alone. */
function drawingOf({ measure, unit, slots, series, format }: TimePlot) {
  const sums = slots.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const isWhole = measure === "tokens";
  const ticks = roundTicks(Math.max(...sums), { mostSteps: MOST_STEPS, isWhole });
  const stepOfTicks = ticks[1] ?? 1;
  return {
    ticks: ticks.map((value) => ({ value, text: isWhole ? countTick(value) : dollarTick(value, stepOfTicks) })),
    colors: series.map(({ color }) => color),
    separators: unit === "day" ? monthStarts(slots) : [],
    current: slots.findIndex(({ isCurrent }) => isCurrent),
    bars: slots.map(({ key, fullName, values, isWeekend }, index) => ({
      key,
      values,
      isShaded: isWeekend,
      spoken: `${fullName}: ${[
        ...series.map(({ name }, at) => `${name} ${format(values[at] ?? 0)}`),
        ...(series.length > 1 ? [`${format(sums[index] ?? 0)} in all`] : []),
      ].join(", ")}`,
    })),
  };
}
