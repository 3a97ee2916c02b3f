import type { Text } from "./log-item.js";
import { sortable } from "./tables.js";
import type { View } from "./view.js";

/** How many requests the journal has at least. Whole rows are dropped, so it may have some more. */
const MIN_DETAILS = 1_000;
const COUNT = "details";

/**
 * Adds details to the journal, each a line with the key of its entry, and drops the oldest. The details of one transaction are one
 * row, because a row costs more than what is in it. Its key is its number, and how many lines it has.
 */
export function addDetails(view: View, lines: readonly Text[]): void {
  if (lines.length === 0) return;
  let count = countOf(view) + lines.length;
  for (const key of view.keys("details", {})) {
    if (count - linesOf(key) < MIN_DETAILS) break;
    view.remove("details", key);
    count -= linesOf(key);
  }
  const last = view.firstKey("details", { isReverse: true });
  const rows = lines.map((line) => (typeof line === "string" ? Buffer.from(line) : line));
  view.put("details", rowKey(last === undefined ? 0 : numberOf(last) + 1, lines.length), Buffer.concat(rows));
  view.put("meta", COUNT, String(count));
}

function rowKey(number: number, lines: number): string {
  return `${sortable(number)}\t${lines}`;
}

function numberOf(key: string): number {
  return Number(key.slice(0, key.indexOf("\t")));
}

function linesOf(key: string): number {
  return Number(key.slice(key.indexOf("\t") + 1));
}

/** The detail of the entry with this key. */
export function findDetail(view: View, key: string): string | undefined {
  for (const { value } of view.range("details", { isReverse: true })) {
    const line = value.includes(key) ? linesIn(value).find((each) => keyOf(each) === key) : undefined;
    if (line !== undefined) return line.slice(key.length + 1);
  }
  return undefined;
}

/** Drops the details of entries that are gone. */
export function dropDetails(view: View, isGone: (key: string) => boolean): void {
  let count = 0;
  for (const { key, value } of [...view.range("details", {})]) {
    const lines = linesIn(value);
    const kept = lines.filter((line) => !isGone(keyOf(line)));
    count += kept.length;
    if (kept.length === lines.length) continue;
    view.remove("details", key);
    if (kept.length > 0) view.put("details", rowKey(numberOf(key), kept.length), kept.join(""));
  }
  if (count !== countOf(view)) view.put("meta", COUNT, String(count));
}

function countOf(view: View): number {
  return Number(view.get("meta", COUNT) ?? 0);
}

/** With their line breaks. */
function linesIn(value: string): string[] {
  return value
    .split("\n")
    .slice(0, -1)
    .map((line) => `${line}\n`);
}

function keyOf(line: string): string {
  return line.slice(0, line.indexOf("\t"));
}
