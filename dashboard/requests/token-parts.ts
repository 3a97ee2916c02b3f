import type { CountedTokens } from "../../src/ledger/entry.js";

export interface TokenPart {
  readonly name: string;
  readonly count: number;
  /** A colour of tokens.css. */
  readonly color: string;
}

/** What tokens are made of, each counted once: input includes what was cached, and output what was thought. */
export function partsOf({ input, output, cacheRead, reasoning }: CountedTokens): TokenPart[] {
  return [
    { name: "Input from the cache", count: Math.min(cacheRead, input), color: "--of-cached" },
    { name: "New input", count: Math.max(0, input - cacheRead), color: "--of-input" },
    { name: "Thinking", count: Math.min(reasoning, output), color: "--of-reasoning" },
    { name: reasoning > 0 ? "Other output" : "Output", count: Math.max(0, output - reasoning), color: "--of-output" },
  ].filter(({ name, count }) => count > 0 || name === "Output");
}

/** How much of the input came from the cache; undefined where Curlew could only estimate, because it does not see the cache. */
export function cachedShare({ input, cacheRead, estimated }: CountedTokens): number | undefined {
  return input === 0 || (estimated && cacheRead === 0) ? undefined : cacheRead / input;
}
