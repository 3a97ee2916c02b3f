import type { Sums } from "../../src/page/contract.js";
import { splitTokens } from "../parts/split-tokens.js";

export interface TokenPart {
  readonly name: string;
  readonly tokens: number;
  readonly color: string;
  /** Of the meter's width. */
  readonly share: number;
}

/** A part that exists is seen, however small it is. */
const LEAST_SHARE = 0.008;

/** What today's tokens are made of. */
export function tokenParts(sums: Sums): TokenPart[] {
  const { cached, fresh, reasoning, said } = splitTokens({
    input: sums.input_tokens,
    output: sums.output_tokens,
    cacheRead: sums.cache_read_tokens,
    reasoning: sums.reasoning_tokens,
  });
  const parts = [
    { name: "Cached input", tokens: cached, color: "--of-cached" },
    { name: "New input", tokens: fresh, color: "--of-input" },
    { name: "Output", tokens: said, color: "--of-output" },
    { name: "Reasoning", tokens: reasoning, color: "--of-reasoning" },
  ];
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const widths = parts.map(({ tokens }) => (tokens === 0 ? 0 : Math.max(tokens / total, LEAST_SHARE)));
  const all = widths.reduce((sum, width) => sum + width, 0);
  return parts.map((part, index) => ({ ...part, share: all === 0 ? 0 : (widths[index] ?? 0) / all }));
}
