import { sortable } from "./tables.js";
import type { View } from "./view.js";

/** How many requests the journal has. */
const MAX_DETAILS = 1_000;
const COUNT = "details";

/** A detail, and the key of its entry. */
export interface KeptDetail {
  readonly key: string;
  readonly text: string;
}

/**
 * Adds details to the journal, and drops the oldest. The details of one transaction are one row, because a row costs more than
 * what is in it.
 */
export function addDetails(view: View, details: readonly KeptDetail[]): void {
  if (details.length === 0) return;
  const last = first(view.range("details", { isReverse: true }));
  view.put("details", sortable(last === undefined ? 0 : Number(last.key) + 1), linesOf(details));
  let count = countOf(view) + details.length;
  if (count > MAX_DETAILS) {
    for (const { key, value } of view.range("details", {})) {
      const lines = readLines(value);
      const excess = count - MAX_DETAILS;
      if (lines.length > excess) {
        view.put("details", key, linesOf(lines.slice(excess)));
        count -= excess;
        break;
      }
      view.remove("details", key);
      count -= lines.length;
    }
  }
  view.put("meta", COUNT, String(count));
}

export function findDetail(view: View, key: string): string | undefined {
  for (const { value } of view.range("details", { isReverse: true })) {
    const found = value.includes(key) ? readLines(value).find((line) => line.key === key) : undefined;
    if (found !== undefined) return found.text;
  }
  return undefined;
}

/** Drops the details whose entries are gone. */
export function dropDetails(view: View, isGone: (key: string) => boolean): void {
  let count = 0;
  for (const { key, value } of [...view.range("details", {})]) {
    const lines = readLines(value);
    const kept = lines.filter((line) => !isGone(line.key));
    count += kept.length;
    if (kept.length === 0) view.remove("details", key);
    else if (kept.length < lines.length) view.put("details", key, linesOf(kept));
  }
  if (count !== countOf(view)) view.put("meta", COUNT, String(count));
}

function countOf(view: View): number {
  return Number(view.get("meta", COUNT) ?? 0);
}

function linesOf(details: readonly KeptDetail[]): string {
  return details.map(({ key, text }) => `${key}\t${text}`).join("\n");
}

function readLines(value: string): KeptDetail[] {
  return value.split("\n").map((line) => {
    const end = line.indexOf("\t");
    return { key: line.slice(0, end), text: line.slice(end + 1) };
  });
}

function first<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item;
  return undefined;
}
