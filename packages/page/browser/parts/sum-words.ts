import { dollars, some, wholeCount } from "@curlew/gateway/system/format.js";
import type { PageEntry, Sums } from "../../access/contract.js";

type Cost = Sums["cost"];

/** Placeholder for a model or client without a name. */
export const UNKNOWN = "unknown";

/** $6.41, at least $6.41, no list price */
export function costText({ dollars: amount, unpriced_models }: Cost): string {
  if (amount === null) return "no list price";
  return unpriced_models.length === 0 ? dollars(amount) : `at least ${dollars(amount)}`;
}

export function costLabel({ dollars: amount, unpriced_models }: Cost): string {
  return amount === null || unpriced_models.length === 0 ? "Cost" : "Cost, at least";
}

/** The basis of a cost, or what is missing in it: "no list price for auto". */
export function costNote({ unpriced_models }: Cost, mostNames = 2): string {
  const count = unpriced_models.length;
  if (count === 0) return "at list prices";
  const names = unpriced_models.map((name) => name || UNKNOWN);
  const shown = count <= mostNames ? names : [...names.slice(0, mostNames - 1), some(count - mostNames + 1, "other")];
  return `no list price for ${listed(shown)}`;
}

/** Which numbers are estimates. Undefined if Cursor has counted all. */
export function estimates({ turns, estimated_turns: count }: Sums): string | undefined {
  if (count === 0) return undefined;
  if (count >= turns) return "Cursor sent no figures; the tokens are estimates.";
  return `Cursor sent no figures for ${some(count, "turn")}; ${count === 1 ? "its" : "their"} tokens are estimates.`;
}

/** 130 of 157 continued */
export function warmNote({ warm_turns, cold_turns }: Sums): string {
  const turns = warm_turns + cold_turns;
  return turns === 0 ? "none yet" : `${wholeCount(warm_turns)} of ${wholeCount(turns)} continued`;
}

function listed(names: readonly string[]): string {
  return names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

type Tokens = Pick<NonNullable<PageEntry["tokens"]>, "input" | "output" | "cacheRead" | "reasoning">;

/** Counts each token once: input includes the cached part, output the reasoning. */
export function splitTokens({ input, output, cacheRead, reasoning }: Tokens) {
  const cached = Math.min(cacheRead, input);
  const reasoned = Math.min(reasoning, output);
  return { cached, fresh: input - cached, reasoning: reasoned, said: output - reasoned };
}

/** The same for sums of the gateway. */
export function splitSums({ input_tokens, output_tokens, cache_read_tokens, reasoning_tokens }: Sums) {
  return splitTokens({
    input: input_tokens,
    output: output_tokens,
    cacheRead: cache_read_tokens,
    reasoning: reasoning_tokens,
  });
}
