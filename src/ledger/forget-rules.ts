import { parseJson } from "../turn/read-json.js";
import type { LogItem } from "./log-item.js";
import type { View } from "./view.js";

const RULES = "forgotten";
/** A rule is needed until every log that was there when it was made has followed it, which takes seconds. */
const MAX_RULES = 100;

/** What the owner wants to be forgotten. */
export interface ForgetRule {
  readonly number: number;
  /** Requests that began before this moment. */
  readonly beforeMs: number;
  /** Only those of this client. */
  readonly client: string | undefined;
}

/**
 * The rules that came after the one with this number, the oldest first. The log of a process may still have what was forgotten in
 * the tables. So rules are kept, and what stands in a log is booked only if no rule matches it that the log has not followed yet.
 */
export function rulesAfter(view: View, number: number): ForgetRule[] {
  return readRules(view).filter((rule) => rule.number > number);
}

export function addRule(view: View, rule: Omit<ForgetRule, "number">): void {
  const rules = readRules(view);
  const number = (rules.at(-1)?.number ?? 0) + 1;
  const list = [...rules, { ...rule, number }].slice(-MAX_RULES);
  view.put(
    "meta",
    RULES,
    JSON.stringify(list.map(({ number, beforeMs, client }) => [number, beforeMs, client ?? null])),
  );
}

export function isForgotten(rules: readonly ForgetRule[], request: { atMs: number; client: string }): boolean {
  return rules.some((rule) => matches(rule, request));
}

/** Abandoned runs go with their requests: where there is no entry, nothing is booked. */
export function unforgotten(rules: readonly ForgetRule[], items: readonly LogItem[]): readonly LogItem[] {
  if (rules.length === 0) return items;
  return items.filter((item) => item.type !== "ended" || !isForgotten(rules, item.entry));
}

export function matches(
  { beforeMs, client }: Omit<ForgetRule, "number">,
  request: { atMs: number; client: string },
): boolean {
  return request.atMs < beforeMs && (client === undefined || client === request.client);
}

function readRules(view: View): ForgetRule[] {
  const list = parseJson(view.get("meta", RULES) ?? "[]");
  return (Array.isArray(list) ? list : []).flatMap((rule: unknown) => {
    if (!Array.isArray(rule)) return [];
    const [number, beforeMs, client] = rule;
    if (typeof number !== "number" || typeof beforeMs !== "number") return [];
    return { number, beforeMs, client: typeof client === "string" ? client : undefined };
  });
}
