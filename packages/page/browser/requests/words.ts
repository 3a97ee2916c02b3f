import { dialectNames } from "@curlew/gateway/fronts/dialect-names.js";
import type { CountedTokens } from "@curlew/meter/ledger/entry.js";
import type { PageEntry } from "../../access/contract.js";
import type { Tone } from "../parts/card.js";
import { splitTokens } from "../parts/sum-words.js";

/** `rate limit exceeded` */
export function outcomeText(outcome: string): string {
  return outcome.replaceAll(/[_-]/g, " ");
}

/** Highlights what could have been avoided. A new conversation is always cold. */
export function continuityTone({ continuity, cacheMiss, sentAgainTokens }: PageEntry): Tone {
  if (continuity?.startsWith("cold")) return sentAgainTokens > 0 ? "caution" : "plain";
  return cacheMiss === null ? "good" : "caution";
}

const dialects: Readonly<Record<string, string>> = dialectNames;

export function dialectText(dialect: string): string {
  return dialects[dialect] ?? dialect;
}

/** Today, Yesterday, Sat 14 Nov, 14 Nov 2025 */
export function dayText(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)];
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (at.toDateString() === now.toDateString()) return "Today";
  if (at.toDateString() === yesterday.toDateString()) return "Yesterday";
  const isThisYear = at.getFullYear() === now.getFullYear();
  const rest = isThisYear ? ({ weekday: "short" } as const) : ({ year: "numeric" } as const);
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...rest }).replace(",", "");
}

export function partsOf(tokens: CountedTokens) {
  const { cached, fresh, reasoning, said } = splitTokens(tokens);
  return [
    { name: "Cached input", count: cached, color: "--of-cached" },
    { name: "New input", count: fresh, color: "--of-input" },
    { name: "Reasoning", count: reasoning, color: "--of-reasoning" },
    { name: reasoning > 0 ? "Other output" : "Output", count: said, color: "--of-output" },
  ].filter(({ name, count }) => count > 0 || name === "Output");
}

/** Share of cached input; undefined for mere estimates, because Curlew does not see the cache. */
export function cachedShare({ input, cacheRead, estimated }: CountedTokens): number | undefined {
  return input === 0 || (estimated && cacheRead === 0) ? undefined : cacheRead / input;
}
