import type { PageEntry } from "../../src/page/contract.js";
import type { Tone } from "../parts/chip.js";

/** `rate limit exceeded` */
export function outcomeText(outcome: string): string {
  return outcome.replaceAll(/[_-]/g, " ");
}

/** What could have been avoided stands out. A conversation that just began is cold by nature. */
export function continuityTone({ continuity, cacheMiss, sentAgainTokens }: PageEntry): Tone {
  if (continuity?.startsWith("cold")) return sentAgainTokens > 0 ? "caution" : "plain";
  return cacheMiss === null ? "good" : "caution";
}

const dialects: Readonly<Record<string, string>> = {
  "openai-chat": "OpenAI Chat Completions",
  "openai-completions": "OpenAI Completions",
  "openai-responses": "OpenAI Responses",
  "anthropic-messages": "Anthropic Messages",
};

export function dialectText(dialect: string): string {
  return dialects[dialect] ?? dialect;
}

/** Ids of Curlew's own are long and random, so their beginning is enough. */
export function shortId(id: string): string {
  return /^[\da-f]{8}-[\da-f]{4}-/.test(id) ? id.slice(0, 8) : id;
}

/** 812 B, 82.0 KiB, 1.4 MiB */
export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
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
