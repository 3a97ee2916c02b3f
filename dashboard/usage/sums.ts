import type { Sums, UsageRowBody } from "../../src/page/contract.js";
import { splitTokens } from "../parts/split-tokens.js";

/** What some rows come to. Shares are those of the sum, and what has no price stays known. */
export function addUp(rows: readonly Sums[]): Sums {
  const sum = { ...nothing };
  const unpriced = new Set<string>();
  let dollars = 0;
  for (const row of rows) {
    for (const name of countNames) sum[name] += row[name];
    for (const model of row.cost.unpriced_models) unpriced.add(model);
    dollars += row.cost.dollars ?? 0;
  }
  const replies = sum.warm_replies + sum.cold_replies;
  return {
    ...sum,
    cache_share: sum.input_tokens === 0 ? null : Math.min(1, sum.cache_read_tokens / sum.input_tokens),
    warm_share: replies === 0 ? null : sum.warm_replies / replies,
    cost: { dollars: dollars === 0 && unpriced.size > 0 ? null : dollars, unpriced_models: [...unpriced].sort() },
  };
}

type Column = "day" | "starts_at" | "model" | "client";

/** The rows that have the same in this column, in the order in which they come. */
export function groupBy(rows: readonly UsageRowBody[], column: Column): ReadonlyMap<string, readonly UsageRowBody[]> {
  const groups = new Map<string, UsageRowBody[]>();
  for (const row of rows) {
    const name = row[column] ?? "";
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

export function addUpBy(rows: readonly UsageRowBody[], column: Column): ReadonlyMap<string, Sums> {
  return new Map(Array.from(groupBy(rows, column), ([name, group]) => [name, addUp(group)]));
}

/** Input that came from Cursor's cache, input that the model had to read, and output: all the tokens there are. */
export function tokenParts(sums: Sums): { cached: number; fresh: number; output: number } {
  const {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    reasoning_tokens: reasoning,
  } = sums;
  const { cached, fresh } = splitTokens({ input, output, cacheRead, reasoning });
  return { cached, fresh, output };
}

export function allTokens({ input_tokens, output_tokens }: Sums): number {
  return input_tokens + output_tokens;
}

const nothing = {
  requests: 0,
  failures: 0,
  turns: 0,
  estimated_turns: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  saved_tokens: 0,
  warm_replies: 0,
  cold_replies: 0,
  runs: 0,
  retries: 0,
  sent_bytes: 0,
  received_bytes: 0,
};
const countNames = Object.keys(nothing) as (keyof typeof nothing)[];

export const noSums: Sums = addUp([]);
