import { dollars, wholeCount } from "@curlew/gateway/system/format.js";
import type { Sums, UsageAnswer } from "../../access/contract.js";
import { groupBy } from "../parts/group-by.js";
import { UNKNOWN } from "../parts/sum-words.js";
import type { Measure } from "./question.js";
import { daySlots, hourSlots, type Slot } from "./slots.js";
import { addUp, addUpBy, allTokens, noSums, type Series, tokenParts } from "./sums.js";

export interface TimeSlot extends Slot {
  readonly values: readonly number[];
  readonly sums: Sums;
}

export type TimePlot = Readonly<ReturnType<typeof plotOverTime>>;

/** More colours would be indistinguishable. */
const MAX_SERIES = 6;

/** The rows of an answer by day or hour, as bars of this measure. */
export function plotOverTime(answer: UsageAnswer, measure: Measure, nowMs: number) {
  const { data, total, days } = answer;
  const unit: "hour" | "day" = answer.by === "hour" ? "hour" : "day";
  const slots = unit === "hour" ? hourSlots(data, nowMs) : daySlots(data, days, nowMs);
  const rowsOf = groupBy(data, ({ starts_at, day }) => (unit === "hour" ? starts_at : day) ?? "");
  const { series, valuesOf } = measure === "tokens" ? tokenSeries(total) : costSeries(answer);
  return {
    measure,
    unit,
    slots: slots.map((slot) => {
      const rows = rowsOf.get(slot.key) ?? [];
      return { ...slot, values: valuesOf(rows), sums: rows.length === 0 ? noSums : addUp(rows) };
    }),
    series,
    total: measure === "tokens" ? allTokens(total) : (total.cost.dollars ?? 0),
    format: measure === "tokens" ? wholeCount : dollars,
  };
}

interface SeriesAndValues {
  readonly series: readonly Series[];
  readonly valuesOf: (rows: UsageAnswer["data"]) => number[];
}

function tokenSeries(total: Sums): SeriesAndValues {
  return { series: tokenParts(total), valuesOf: (rows) => tokenParts(addUp(rows)).map((part) => part.total) };
}

/** The most expensive models, and the rest as one. There are no hourly sums by model, so hours have one series. */
function costSeries({ by, data, total }: UsageAnswer): SeriesAndValues {
  const costOf = ({ cost }: Sums) => cost.dollars ?? 0;
  if (by === "hour") {
    const series = [{ name: "All models", color: "--of-input", total: costOf(total) }];
    return { series, valuesOf: (rows) => [costOf(addUp(rows))] };
  }
  const byCost = Array.from(addUpBy(data, "model"), ([name, sums]) => ({ name, total: costOf(sums) }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total);
  const own = byCost.slice(0, byCost.length > MAX_SERIES ? MAX_SERIES - 1 : MAX_SERIES);
  const rest = byCost.slice(own.length);
  const series = own.map(({ name, total }, index) => ({
    name: name || UNKNOWN,
    total,
    color: `--series-${index + 1}`,
  }));
  const sum = (models: typeof byCost) => models.reduce((all, each) => all + each.total, 0);
  if (rest.length > 0) series.push({ name: `${rest.length} others`, total: sum(rest), color: "--series-rest" });
  const indexOf = new Map(own.map(({ name }, index) => [name, index]));
  return {
    series,
    valuesOf: (rows) => {
      const values = series.map(() => 0);
      for (const row of rows) {
        const index = indexOf.get(row.model ?? "") ?? series.length - 1;
        if (costOf(row) > 0) values[index] = (values[index] ?? 0) + costOf(row);
      }
      return values;
    },
  };
}
