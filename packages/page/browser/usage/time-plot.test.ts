import { describe, expect, it } from "vitest";
import type { UsageAnswer, UsageRowBody } from "../../access/contract.js";
import { addUp, allTokens, inOrder, type NameRow, noSums, rowsByName } from "./sums.js";
import { nameTable, timeTable, toCsv } from "./tables.js";
import { plotOverTime } from "./time-plot.js";

const nowMs = new Date(2026, 10, 16, 12).getTime();

function row(day: string, model: string, input: number, dollars: number | null, client = ""): UsageRowBody {
  const cost = { dollars, unpriced_models: dollars === null ? [model] : [] };
  const starts_at = new Date(`${day}T09:00:00`).toISOString();
  const counts = { input_tokens: input, cache_read_tokens: input / 2, output_tokens: 10, turns: 1, requests: 2 };
  return { ...noSums, day, starts_at, model, client, ...counts, cost };
}

function answer(by: UsageAnswer["by"], data: readonly UsageRowBody[]): UsageAnswer {
  return { by, days: by === "hour" ? 1 : 7, data, total: addUp(data) };
}

const models = ["a", "b", "c", "d", "e", "f", "g", "free"];
const week = answer("day", [
  ...models.map((model, at) => row("2026-11-16", model, 1_000 * (at + 1), model === "free" ? 0 : at + 1)),
  row("2026-11-14", "a", 500, 40),
  row("2026-11-14", "auto", 600, null),
]);
const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);

describe.each(["tokens", "cost"] as const)("a plot of %s", (measure) => {
  it.each([
    ["day", week, 7],
    ["hour", answer("hour", [row("2026-11-16", "", 900, 1.5)]), 24],
  ] as const)("by %s has a bar for each slot, and adds up to the total", (_, given, count) => {
    const { slots, series, total } = plotOverTime(given, measure, nowMs);
    expect(slots).toHaveLength(count);
    expect(total).toBe(measure === "tokens" ? allTokens(given.total) : given.total.cost.dollars);
    expect(sum(slots.map(({ values }) => sum(values)))).toBeCloseTo(total, 9);
    expect(sum(series.map((each) => each.total))).toBeCloseTo(total, 9);
    for (const [at, each] of series.entries()) {
      expect(sum(slots.map(({ values }) => values[at] ?? Number.NaN))).toBeCloseTo(each.total, 9);
    }
    expect(sum(slots.map(({ sums }) => sums.turns))).toBe(given.total.turns);
  });
});

describe("the cost by model", () => {
  it("has colours for the most expensive models and one for the others, without free ones", () => {
    const { series } = plotOverTime(week, "cost", nowMs);
    expect(series.map(({ name, total }) => [name, total])).toEqual([
      ["a", 41],
      ["g", 7],
      ["f", 6],
      ["e", 5],
      ["d", 4],
      ["2 others", 5],
    ]);
    expect(new Set(series.map(({ color }) => color)).size).toBe(6);
  });

  it("shows a sixth model if it is the last one", () => {
    const { series } = plotOverTime(answer("day", week.data.slice(0, 6)), "cost", nowMs);
    expect(series.map(({ name }) => name)).toEqual(["f", "e", "d", "c", "b", "a"]);
  });

  it("is empty if nothing has a price", () => {
    const { series, total } = plotOverTime(answer("day", [row("2026-11-16", "auto", 1, null)]), "cost", nowMs);
    expect([series, total]).toEqual([[], 0]);
  });
});

describe("models and clients", () => {
  const byModel = answer("model", week.data);
  const names = (rows: readonly NameRow[]) => rows.map(({ name }) => name).join(" ");

  it("are sorted by the measure, with unpriced ones last", () => {
    expect(names(rowsByName(byModel, "tokens"))).toBe("free g f e d c b a auto");
    expect(names(rowsByName(byModel, "cost"))).toBe("a g f e d c b free auto");
  });

  it("can keep their order, with new ones at the end", () => {
    const rows = rowsByName(byModel, "tokens");
    expect(names(inOrder(rows, ["auto", "gone", "a", "f"]))).toBe("auto a f free g e d c b");
  });

  it.each(["tokens", "cost"] as const)("share all of the %s", (measure) => {
    expect(sum(rowsByName(byModel, measure).map(({ share }) => share ?? 0))).toBeCloseTo(1, 9);
    expect(rowsByName(answer("model", [{ ...noSums, model: "x" }]), measure)[0]?.share).toBe(0);
  });
});

describe("the tables of the view", () => {
  it("have the numbers of the plot, and the sums of the gateway below them", () => {
    const table = timeTable(plotOverTime(week, "tokens", nowMs), week.total);
    expect(table.columns.map(({ title, all, sum }) => [title, all.value, sum])).toEqual([
      ["Day", null, undefined],
      ["Cached input", week.total.cache_read_tokens, "cache_read_tokens"],
      ["New input", week.total.input_tokens - week.total.cache_read_tokens, undefined],
      ["Output", week.total.output_tokens, "output_tokens"],
      ["All tokens", allTokens(week.total), undefined],
      ["Turns", 10, "turns"],
      ["Cost", week.total.cost.dollars, "dollars"],
    ]);
    expect(toCsv(table).split("\r\n").slice(0, 4)).toEqual([
      "Day,Cached input,New input,Output,All tokens,Turns,Cost",
      "2026-11-16,18000,18000,80,36080,8,28",
      "2026-11-15,0,0,0,0,0,0",
      "2026-11-14,550,550,20,1120,2,40",
    ]);
  });

  it("have the cost of each model, and the total", () => {
    const table = timeTable(plotOverTime(week, "cost", nowMs), week.total);
    expect(table.columns.map(({ title }) => title).join(", ")).toBe("Day, a, g, f, e, d, 2 others, Turns, Cost");
    const hours = timeTable(plotOverTime(answer("hour", []), "cost", nowMs), noSums);
    expect(hours.columns.map(({ title }) => title)).toEqual(["Hour", "Turns", "Cost"]);
  });

  it("have columns that add up to their sums", () => {
    const { columns, rows } = nameTable("model", rowsByName(answer("model", week.data), "tokens"), week.total);
    for (const { cellOf, all, sum: name } of columns.slice(1)) {
      if (name?.endsWith("share")) continue;
      expect(sum(rows.map((each) => Number(cellOf(each).value ?? 0)))).toBeCloseTo(Number(all.value), 9);
    }
  });
});
