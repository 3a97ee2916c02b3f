import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { finishInSlices } from "../clock.js";
import { unlessMissing } from "../unless-missing.js";
import {
  type AbandonedItem,
  type EndedItem,
  type LogHead,
  type LogItem,
  readLine,
  type WaitingTurn,
} from "./log-item.js";
import { isOwnerAlive, type LogOwner, thisProcess, UNTOUCHED_MS } from "./owner.js";
import { interruptedEntry, type ReceivedRequest } from "./read-entry.js";
import { WaitingTurns } from "./waiting-turns.js";
import { entryText } from "./write-entry.js";

/** Reading this many takes a few milliseconds. */
const SLICE_LINES = 200;
const LOG_FILE = /^\d+-[0-9a-z]+\.log$/;

export function logsFolder(folder: string): string {
  return join(folder, "open");
}

/** The log of a process, as it was read. */
export interface ReadLog {
  readonly path: string;
  readonly isAlive: boolean;
  /** When its file was last changed. */
  readonly touchedMs: number;
  /** The last rule about what is forgotten that it has followed. */
  readonly rule: number;
  /** What is to be booked. If its process is dead, that includes the requests which did not end and the runs that waited. */
  readonly items: readonly LogItem[];
}

interface ReadOptions {
  readonly nowMs: number;
  /** The log that is not read, because this process has what is in it. */
  readonly except?: string | undefined;
}

/** Reads all logs of a ledger. Nothing on disk changes. */
export function readLogs(folder: string, options: ReadOptions): ReadLog[] {
  const steps = readSteps(folder, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The same in a process that has other things to do meanwhile: a process that was killed may have left thousands of lines. */
export function readLogsInSlices(folder: string, options: ReadOptions): Promise<ReadLog[]> {
  return finishInSlices(readSteps(folder, options));
}

function* readSteps(folder: string, { nowMs, except }: ReadOptions): Generator<undefined, ReadLog[], undefined> {
  const logs = logsFolder(folder);
  const names = unlessMissing(() => readdirSync(logs)) ?? [];
  const found: ReadLog[] = [];
  for (const name of names.sort()) {
    const path = join(logs, name);
    if (!LOG_FILE.test(name) || path === except) continue;
    const file = unlessMissing(() => ({ path, touchedMs: statSync(path).mtimeMs, text: readFileSync(path, "utf8") }));
    const log = file && (yield* readLog(file, nowMs, thisProcess()));
    if (log !== undefined) found.push(log);
  }
  return found;
}

interface LogFile {
  readonly path: string;
  readonly touchedMs: number;
  readonly text: string;
}

/** Undefined for a log of another version, which is not ours to judge. */
function* readLog(
  { path, touchedMs, text }: LogFile,
  nowMs: number,
  here: LogOwner,
): Generator<undefined, ReadLog | undefined, undefined> {
  const untouchedMs = nowMs - touchedMs;
  const lines = text.split("\n");
  lines.pop(); // what follows the last line break was not written to its end
  if (lines.length === 0) {
    // The process was killed before it had written anything, or it is about to.
    return { path, touchedMs, isAlive: Math.abs(untouchedMs) < UNTOUCHED_MS, rule: 0, items: [] };
  }
  const content = new LogContent();
  for (const [index, line] of lines.entries()) {
    if (index > 0 && index % SLICE_LINES === 0) yield;
    content.add(line);
  }
  const { head } = content;
  if (head === undefined) return undefined;
  const isAlive = isOwnerAlive(head, untouchedMs, here);
  return { path, touchedMs, isAlive, rule: head.rule, items: content.items(isAlive) };
}

class LogContent {
  head: LogHead | undefined;
  readonly #open = new Map<string, ReceivedRequest>();
  readonly #ended: EndedItem[] = [];
  readonly #abandoned: AbandonedItem[] = [];
  readonly #waiting = new WaitingTurns();

  add(text: string): void {
    const line = readLine(text);
    switch (line?.type) {
      case "head":
        this.head ??= line.head;
        break;
      case "received":
        this.#open.set(line.key, line.received);
        break;
      case "ended":
        this.#open.delete(line.key);
        this.#ended.push(line);
        this.#waiting.end(line.entry.turnId, line.entry.round);
        break;
      case "abandoned":
        this.#abandoned.push(line);
        this.#waiting.abandon(line.key);
        break;
      case "waiting":
        this.#waiting.add(line);
        break;
      case undefined:
        break;
    }
  }

  items(isAlive: boolean): LogItem[] {
    if (isAlive) return [...this.#ended, ...this.#abandoned];
    const open = Array.from(this.#open, ([key, received]) => interrupted(key, received));
    return [...this.#ended, ...open, ...this.#abandoned, ...Array.from(this.#waiting.values(), lost)];
  }
}

function interrupted(key: string, received: ReceivedRequest): EndedItem {
  const entry = interruptedEntry(received);
  const text = entryText(entry);
  return { type: "ended", key, entry, text, detailLine: undefined, openRequests: 0, openRuns: 0 };
}

function lost({ key, tokens }: WaitingTurn): AbandonedItem {
  return { type: "abandoned", key, reason: "lost", tokens };
}
