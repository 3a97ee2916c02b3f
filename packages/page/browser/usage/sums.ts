import { sideRequests } from "@curlew/gateway/turn/side-request.js";
import type { Sums, UsageAnswer, UsageRowBody } from "../../access/contract.js";
import { groupBy } from "../parts/group-by.js";
import { splitSums } from "../parts/sum-words.js";
import type { Measure } from "./question.js";

/** The counters of `GET /v1/usage`. */
const sumNames = [
  "requests",
  "failures",
  "messages",
  "turns",
  "estimated_turns",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "saved_tokens",
  "warm_turns",
  "cold_turns",
  "runs",
  "retries",
  "sent_bytes",
  "received_bytes",
] as const satisfies readonly (keyof Sums)[];

/** The sum of rows, with its shares and the models without a price. */
export function addUp(rows: readonly Sums[]): Sums {
  const sum = Object.fromEntries(sumNames.map((name) => [name, 0])) as Record<(typeof sumNames)[number], number>;
  const unpriced = new Set<string>();
  const side = { title: 0, suggestion: 0, compaction: 0, check: 0 };
  let dollars = 0;
  for (const row of rows) {
    for (const name of sumNames) sum[name] += row[name];
    for (const kind of sideRequests) side[kind] += row.side_runs[kind];
    for (const model of row.cost.unpriced_models) unpriced.add(model);
    dollars += row.cost.dollars ?? 0;
  }
  const turns = sum.warm_turns + sum.cold_turns;
  return {
    ...sum,
    runs_per_message: sum.messages === 0 ? null : sum.runs / sum.messages,
    side_runs: side,
    cache_share: sum.input_tokens === 0 ? null : Math.min(1, sum.cache_read_tokens / sum.input_tokens),
    warm_share: turns === 0 ? null : sum.warm_turns / turns,
    cost: { dollars: dollars === 0 && unpriced.size > 0 ? null : dollars, unpriced_models: [...unpriced].sort() },
  };
}

type Column = "day" | "starts_at" | "model" | "client";

export function addUpBy(rows: readonly UsageRowBody[], column: Column): ReadonlyMap<string, Sums> {
  const groups = groupBy(rows, (row) => row[column] ?? "");
  return new Map(Array.from(groups, ([name, group]) => [name, addUp(group)]));
}

export interface Series {
  readonly name: string;
  readonly color: string;
  readonly total: number;
  /** Name of the gateway's sum that the total equals, if any. */
  readonly sum?: string;
}

/** Splits all tokens into cached input, new input and output. */
export function tokenParts(sums: Sums): readonly Series[] {
  const { cached, fresh } = splitSums(sums);
  return [
    { name: "Cached input", color: "--of-cached", total: cached, sum: "cache_read_tokens" },
    { name: "New input", color: "--of-input", total: fresh },
    { name: "Output", color: "--of-output", total: sums.output_tokens, sum: "output_tokens" },
  ];
}

export function allTokens({ input_tokens, output_tokens }: Sums): number {
  return input_tokens + output_tokens;
}

export const noSums: Sums = addUp([]);

export type NameRow = ReturnType<typeof rowsByName>[number];

/** The rows of an answer by model or client, largest first; those without a price come last, by their tokens. */
export function rowsByName(answer: UsageAnswer, measure: Measure) {
  const column = answer.by === "client" ? "client" : "model";
  const all = amountOf(answer.total, measure) ?? 0;
  return Array.from(addUpBy(answer.data, column), ([name, sums]) => {
    const value = amountOf(sums, measure);
    return { name, sums, value, share: value === null ? null : all === 0 ? 0 : value / all };
  }).sort((a, b) => (b.value ?? -1) - (a.value ?? -1) || allTokens(b.sums) - allTokens(a.sums));
}

/** Sorts rows in the order of these names; others follow. */
export function inOrder(rows: readonly NameRow[], names: readonly string[]): NameRow[] {
  const places = new Map(names.map((name, place) => [name, place]));
  const placeOf = ({ name }: NameRow) => places.get(name) ?? names.length;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function amountOf(sums: Sums, measure: Measure): number | null {
  return measure === "tokens" ? allTokens(sums) : sums.cost.dollars;
}
