import type { CountedTokens } from "../../src/ledger/entry.js";
import { splitTokens } from "../parts/split-tokens.js";

export interface TokenPart {
  readonly name: string;
  readonly count: number;
  /** A colour of tokens.css. */
  readonly color: string;
}

/** What tokens are made of. */
export function partsOf(tokens: CountedTokens): TokenPart[] {
  const { cached, fresh, reasoning, said } = splitTokens(tokens);
  return [
    { name: "Cached input", count: cached, color: "--of-cached" },
    { name: "New input", count: fresh, color: "--of-input" },
    { name: "Reasoning", count: reasoning, color: "--of-reasoning" },
    { name: reasoning > 0 ? "Other output" : "Output", count: said, color: "--of-output" },
  ].filter(({ name, count }) => count > 0 || name === "Output");
}

/** How much of the input came from the cache; undefined where Curlew could only estimate, because it does not see the cache. */
export function cachedShare({ input, cacheRead, estimated }: CountedTokens): number | undefined {
  return input === 0 || (estimated && cacheRead === 0) ? undefined : cacheRead / input;
}
