import type { UpstreamFailure } from "./failure.js";

/** A date further away is a misreading. */
const LONGEST_MS = 400 * 24 * 60 * 60_000;

/** How long Cursor asks to wait: in the error's additional info, in a header, or in its words; undefined when it does not say. */
export function retryAfterMs(failure: UpstreamFailure, nowMs: number): number | undefined {
  const { additionalInfo, retryAfter, detail, title, message } = failure;
  const candidates = [
    ...Object.entries(additionalInfo).map(([name, value]) => toWait(name, value, nowMs)),
    toWait("retry-after", retryAfter, nowMs),
    dateIn(`${title}. ${detail}. ${message}`, nowMs),
  ];
  return candidates.find((wait) => wait !== undefined && wait > 0 && wait < LONGEST_MS);
}

function toWait(name: string, value: string, nowMs: number): number | undefined {
  const key = name.toLowerCase().replace(/[-_]/g, "");
  if (key === "retryafterms") return Number(value);
  if (key === "resetat" || key === "resetatms") return (Number(value) || Date.parse(value)) - nowMs;
  if (key !== "retryafter" && key !== "retryafterseconds") return undefined;
  return /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
}

/** "You can return on December 1, 2026" */
function dateIn(text: string, nowMs: number): number | undefined {
  const after = text
    .split(".")
    .map(afterOnOrAt)
    .find((each) => each !== undefined);
  const words = (after ?? "").trim().split(/\s+/).slice(0, 6);
  for (let count = words.length; count > 0; count--) {
    const date = Date.parse(words.slice(0, count).join(" ").replace(/,$/, ""));
    if (!Number.isNaN(date)) return date - nowMs;
  }
  return undefined;
}

function afterOnOrAt(sentence: string): string | undefined {
  const at = sentence.search(/\b(?:return|returns|reset|resets|renew|renews|again)\b/i);
  return at === -1 ? undefined : /\b(?:on|at) ([^!;()]+)/i.exec(sentence.slice(at))?.[1];
}
