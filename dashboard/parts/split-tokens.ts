import type { PageEntry, Sums } from "../../src/page/contract.js";

type Tokens = Pick<NonNullable<PageEntry["tokens"]>, "input" | "output" | "cacheRead" | "reasoning">;

/** Counts each token once: input includes what was cached, and output the reasoning. */
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
