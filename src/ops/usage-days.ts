import { appendFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../make-folder.js";
import { replaceFile } from "../replace-file.js";
import { parseJson } from "../turn/read-json.js";
import { unlessMissing } from "../unless-missing.js";
import { addCounts, noUsage, readCounts, type UsageCounts } from "./usage-counts.js";

const DAY_MS = 24 * 60 * 60_000;
const KEPT_DAYS = 400;
/** A clock that goes a little wrong, or a process in another time zone, may still write into the file of yesterday. */
const SETTLED_DAYS = 3;
const dayFile = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;

export interface DayUsage {
  /** `2026-11-15`, as the user's calendar has it. */
  readonly day: string;
  readonly model: string;
  readonly counts: UsageCounts;
}

/**
 * A file for each day, a line for each second in which something went through. Lines are only ever appended, which several
 * processes can do at once without a lock, and a crash can spoil none but the last of them.
 */
export class UsageDays {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  append(nowMs: number, counts: ReadonlyMap<string, UsageCounts>): void {
    makeFolder(this.#folder);
    // The empty line in front saves these if a process died in the middle of the line before.
    appendFileSync(this.#path(dayOf(nowMs)), `\n${linesOf(counts)}`, { mode: 0o600 });
  }

  /** The newest day first, today included; within a day, what was read most. */
  read(nowMs: number, days: number): DayUsage[] {
    const oldest = dayOf(nowMs - (days - 1) * DAY_MS);
    return this.#days()
      .filter((day) => day >= oldest)
      .sort()
      .reverse()
      .flatMap((day) =>
        [...this.#readDay(day)]
          .map(([model, counts]) => ({ day, model, counts }))
          .sort((a, b) => b.counts.inputTokens - a.counts.inputTokens),
      );
  }

  /** Drops days of long ago and sums up the days that nobody writes to any more. Two processes at once do the same twice. */
  tidy(nowMs: number): void {
    const oldest = dayOf(nowMs - KEPT_DAYS * DAY_MS);
    const settled = dayOf(nowMs - SETTLED_DAYS * DAY_MS);
    for (const day of this.#days()) {
      if (day < oldest) rmSync(this.#path(day), { force: true });
      else if (day < settled) this.#sumUp(day);
    }
  }

  #sumUp(day: string): void {
    const counts = this.#readDay(day);
    const lines = readFileSync(this.#path(day), "utf8").trim().split("\n").length;
    if (lines <= counts.size) return;
    replaceFile(this.#path(day), linesOf(counts));
  }

  #readDay(day: string): Map<string, UsageCounts> {
    const counts = new Map<string, UsageCounts>();
    for (const line of readFileSync(this.#path(day), "utf8").split("\n")) {
      const read = readLine(line);
      if (read !== undefined) counts.set(read.model, addCounts(counts.get(read.model) ?? noUsage, read.counts));
    }
    return counts;
  }

  #days(): string[] {
    const names = unlessMissing(() => readdirSync(this.#folder)) ?? [];
    return names.flatMap((name) => dayFile.exec(name)?.[1] ?? []);
  }

  #path(day: string): string {
    return join(this.#folder, `${day}.jsonl`);
  }
}

function linesOf(counts: ReadonlyMap<string, UsageCounts>): string {
  const lines = [...counts].map(([model, each]) => {
    const told = Object.entries(each).filter(([, count]) => count > 0);
    return `${JSON.stringify({ model, ...Object.fromEntries(told) })}\n`;
  });
  return lines.join("");
}

/** Undefined for half a line, left by a crash. */
function readLine(line: string): { model: string; counts: UsageCounts } | undefined {
  const facts = parseJson(line);
  if (typeof facts !== "object" || facts === null || !("model" in facts)) return undefined;
  return { model: String(facts.model), counts: readCounts(facts) };
}

function dayOf(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
