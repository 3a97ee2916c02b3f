import { useCallback, useMemo, useState } from "preact/hooks";
import type { UsageAnswer } from "../../access/contract.js";
import { CutName, Empty } from "../parts/card.js";
import { type ColumnLabel, thinOut, withLabel } from "../parts/plot/columns.js";
import { StackedBars } from "../parts/plot/stacked-bars.js";
import { countTick, dollarTick, roundTicks } from "../parts/plot/ticks.js";
import { costNote } from "../parts/sum-words.js";
import { PlotCard } from "./plot-card.js";
import { type Measure, measures } from "./question.js";
import type { Slot } from "./slots.js";
import { timeTable } from "./tables.js";
import { plotOverTime, type TimePlot } from "./time-plot.js";

interface ByTimeProps {
  readonly answer: UsageAnswer;
  readonly measure: Measure;
  readonly rangeName: string;
  readonly nowMs: number;
}

export function ByTime({ answer, measure, rangeName, nowMs }: ByTimeProps) {
  const plot = useMemo(() => plotOverTime(answer, measure, nowMs), [answer, measure, nowMs]);
  const { cost } = answer.total;
  const isIncomplete = measure === "cost" && cost.unpriced_models.length > 0;
  return (
    <PlotCard title={`${measures[measure]} by ${plot.unit}`} table={timeTable(plot, answer.total)}>
      {plot.total === 0 && isIncomplete ? (
        <Empty title="None of these models has a list price">
          <p>Their cost is unknown; their tokens are counted.</p>
        </Empty>
      ) : (
        <>
          <TimeBars key={rangeName} plot={plot} rangeName={rangeName} />
          {isIncomplete && <p class="faint above-3">There is {costNote(cost, 8)}.</p>}
        </>
      )}
    </PlotCard>
  );
}

const MOST_STEPS = 5;

function TimeBars({ plot, rangeName }: { readonly plot: TimePlot; readonly rangeName: string }) {
  const { measure, unit, slots } = plot;
  const [wanted, point] = useState<number>();
  const pointed = wanted === undefined ? undefined : Math.min(wanted, slots.length - 1);
  const drawing = useMemo(() => drawingOf(plot), [plot]);
  const labelsFor = useCallback((stepPx: number) => timeLabels(slots, unit, stepPx), [slots, unit]);
  return (
    <>
      <Readout plot={plot} rangeName={rangeName} pointed={pointed} />
      <StackedBars
        label={`${measures[measure]} by ${unit}. The arrow keys move from ${unit} to ${unit}`}
        labelsFor={labelsFor}
        pointed={pointed}
        onPoint={point}
        {...drawing}
      />
    </>
  );
}

/** The parts of the plot that depend only on its numbers. */
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
        ...(series.length > 1 ? [`${format(sums[index] ?? 0)} in total`] : []),
      ].join(", ")}`,
    })),
  };
}

interface ReadoutProps {
  readonly plot: TimePlot;
  readonly rangeName: string;
  readonly pointed: number | undefined;
}

/** The legend, with exact values of the selected bar or else of the whole range. The slider reads out the same. */
function Readout({ plot: { slots, series, total, format }, rangeName, pointed }: ReadoutProps) {
  const slot = pointed === undefined ? undefined : slots[pointed];
  const values = slot?.values ?? series.map((each) => each.total);
  const all = slot === undefined ? total : slot.values.reduce((sum, value) => sum + value, 0);
  return (
    <dl class="grid gap-3 below-4" style={{ gridTemplateColumns: "repeat(auto-fill, minmax(156px, 1fr))" }}>
      <div>
        <dt class="row gap-6px small soft">{slot === undefined ? rangeName : slot.name}</dt>
        <dd class="strong">{format(all)}</dd>
      </div>
      {series.length > 1 &&
        series.map(({ name, color }, index) => (
          <div key={name}>
            <dt class="row gap-6px small soft">
              <span class="swatch" style={{ background: `var(${color})` }} aria-hidden="true" />
              <CutName name={name} />
            </dt>
            <dd class="strong">{format(values[index] ?? 0)}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Width needed by a label. */
const LABEL_PX = 54;
/** Up to this many days, each is labelled with its weekday. */
const FEW_DAYS = 10;

/** The labels: as many days, Mondays, months or hours as fit, and always the current one. */
export function timeLabels(slots: readonly Slot[], unit: "hour" | "day", stepPx: number): ColumnLabel[] {
  const minPx = slots.length <= FEW_DAYS ? 0 : LABEL_PX;
  const labels = thinOut(unit === "hour" ? hourSets(slots) : daySets(slots), stepPx, minPx);
  const index = slots.findIndex(({ isCurrent }) => isCurrent);
  if (index < 0) return labels;
  const now = { index, text: unit === "hour" ? "Now" : "Today", isStrong: true };
  return withLabel(labels, now, stepPx, Math.max(minPx, 1));
}

export function monthStarts(slots: readonly Slot[]): number[] {
  return slots.flatMap(({ atMs }, index) => (index > 0 && new Date(atMs).getUTCDate() === 1 ? [index] : []));
}

function hourSets(slots: readonly Slot[]): ColumnLabel[][] {
  return [1, 2, 3, 6].map((hours) =>
    slots.flatMap(({ name, atMs }, index) =>
      new Date(atMs).getHours() % hours === 0 ? [{ index, text: name, isStrong: false }] : [],
    ),
  );
}

function daySets(slots: readonly Slot[]): ColumnLabel[][] {
  const days = slots.map(({ atMs }, index) => ({ index, atMs, at: new Date(atMs) }));
  const mondays = days.filter(({ at }) => at.getUTCDay() === 1);
  // Includes the last one, so that the distance to today is constant.
  const everyOther = mondays.filter((_, at) => (mondays.length - at) % 2 === 1);
  const firsts = days.filter(({ at }) => at.getUTCDate() === 1);
  const named = (some: typeof days, format: Intl.DateTimeFormat) =>
    some.map(({ index, atMs }) => ({ index, text: format.format(atMs), isStrong: false }));
  return [
    named(days, slots.length <= FEW_DAYS ? weekday : date),
    named(mondays, date),
    named(everyOther, date),
    named(firsts, month),
  ];
}

const inUtc = { timeZone: "UTC" } as const;
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", ...inUtc });
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...inUtc });
const month = new Intl.DateTimeFormat("en-GB", { month: "short", ...inUtc });
