import { appendFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../make-folder.js";
import { replaceFile } from "../replace-file.js";
import { parseJson } from "../turn/read-json.js";
import { unlessMissing } from "../unless-missing.js";
import { addCounts, noUsage, type RunningCounts, readCounts, type UsageCounts } from "./usage-counts.js";

const DAY_MS = 24 * 60 * 60_000;
const KEPT_DAYS = 400;
/** A process with a slightly wrong clock or in another time zone may still write to yesterday's file. */
const SETTLED_DAYS = 3;
const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;

export interface DayUsage {
  /** `2026-11-15`, in the user's time zone. */
  readonly day: string;
  readonly model: string;
  readonly counts: UsageCounts;
}

/**
 * One file for each day, and one line for each second with traffic. Lines are only appended: several processes can do so at
 * once without a lock, and a crash can damage only the last line.
 */
export class UsageDays {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  append(nowMs: number, counts: ReadonlyMap<string, UsageCounts>): void {
    makeFolder(this.#folder);
    // The empty line protects these lines if a process died in the middle of the line before.
    appendFileSync(this.#path(dayOf(nowMs)), `\n${linesOf(counts)}`, { mode: 0o600 });
  }

  /** The newest day comes first, today included; within a day, the model with the most input. */
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

  /**
   * Deletes old days, and sums up the days that no process writes to any more. If two processes do it at once, the result is
   * the same.
   */
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
    const counts = new Map<string, RunningCounts>();
    for (const line of readFileSync(this.#path(day), "utf8").split("\n")) {
      const read = readLine(line);
      if (read === undefined) continue;
      const held = counts.get(read.model) ?? { ...noUsage };
      addCounts(held, read.counts);
      counts.set(read.model, held);
    }
    return counts;
  }

  #days(): string[] {
    const names = unlessMissing(() => readdirSync(this.#folder)) ?? [];
    return names.flatMap((name) => DAY_FILE.exec(name)?.[1] ?? []);
  }

  #path(day: string): string {
    return join(this.#folder, `${day}.jsonl`);
  }
}

function linesOf(counts: ReadonlyMap<string, UsageCounts>): string {
  const lines = [...counts].map(([model, each]) => {
    const counted = Object.entries(each).filter(([, count]) => count > 0);
    return `${JSON.stringify({ model, ...Object.fromEntries(counted) })}\n`;
  });
  return lines.join("");
}

/** Undefined for an incomplete line, left by a crash. */
function readLine(line: string): { model: string; counts: UsageCounts } | undefined {
  const parsed = parseJson(line);
  if (typeof parsed !== "object" || parsed === null || !("model" in parsed)) return undefined;
  return { model: String(parsed.model), counts: readCounts(parsed) };
}

function dayOf(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
