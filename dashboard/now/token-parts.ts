import type { Sums } from "../../src/page/contract.js";

export interface TokenPart {
  readonly name: string;
  readonly tokens: number;
  readonly color: string;
  /** Of the meter's width. */
  readonly share: number;
}

/** A part that exists is seen, however small it is. */
const LEAST_SHARE = 0.008;

/** What today's tokens are made of. Reasoning is a part of the output, and what was cached a part of the input. */
export function tokenParts(sums: Sums): TokenPart[] {
  const { input_tokens, output_tokens, cache_read_tokens, reasoning_tokens } = sums;
  const parts = [
    { name: "Cached input", tokens: cache_read_tokens, color: "--of-cached" },
    { name: "New input", tokens: Math.max(0, input_tokens - cache_read_tokens), color: "--of-input" },
    { name: "Output", tokens: Math.max(0, output_tokens - reasoning_tokens), color: "--of-output" },
    { name: "Reasoning", tokens: reasoning_tokens, color: "--of-reasoning" },
  ];
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const widths = parts.map(({ tokens }) => (tokens === 0 ? 0 : Math.max(tokens / total, LEAST_SHARE)));
  const all = widths.reduce((sum, width) => sum + width, 0);
  return parts.map((part, index) => ({ ...part, share: all === 0 ? 0 : (widths[index] ?? 0) / all }));
}
