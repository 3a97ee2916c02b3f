import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../turn/read-json.js";
import { unlessMissing } from "../unless-missing.js";
import { FileBook, type ForgetRule } from "./book.js";
import { dayStart } from "./entry.js";
import { type Head, numberOf, readHead, readLine, recordOf } from "./line.js";
import { isOwnerAlive } from "./owner.js";

const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.[0-9a-z-]+\.jsonl$/;
const SUMS_FILE = /^(\d{4}-\d{2}-\d{2})\.sums$/;
const RULE_FILE = /^forget-(\d+)\.json$/;
/** Reading and parsing this much takes a few milliseconds. */
const CHUNK_BYTES = 256 * 1024;
const LINE_END = 10;
/** A process that closes its file writes nothing to it again. */
export const CLOSED_MODE = 0o400;
const OWNER_WRITES = 0o200;

/** The lines of one process about one day. */
export interface LedgerFile {
  readonly name: string;
  readonly startMs: number;
  /** The last rule about what is forgotten that it has followed. */
  readonly rule: number;
  isAlive(): boolean;
  /** Whether nothing was open or waiting when it was last read. */
  readonly isComplete: boolean;
  /** What its lines come to, without what the rules forget. Reads what is new in it, in steps. */
  book(rules: readonly ForgetRule[]): Generator<undefined, FileBook, undefined>;
  /** Its lines, the last one first. */
  backwards(): Iterable<string>;
}

export interface Listing {
  /** The names of the files of each day, in order. */
  readonly days: ReadonlyMap<string, readonly string[]>;
  readonly sums: ReadonlySet<string>;
  readonly rules: readonly ForgetRule[];
  readonly lastRule: number;
  readonly hasFormerLedger: boolean;
}

const nothing: Listing = { days: new Map(), sums: new Set(), rules: [], lastRule: 0, hasFormerLedger: false };

export function sumsName(day: string): string {
  return `${day}.sums`;
}

/** What is in the folder of a ledger. */
export function listFolder(folder: string | undefined, onProblem: (problem: unknown) => void): Listing {
  try {
    const names = folder === undefined ? undefined : unlessMissing(() => readdirSync(folder));
    if (folder === undefined || names === undefined) return nothing;
    const days = new Map<string, string[]>();
    for (const name of names.sort()) {
      const day = DAY_FILE.exec(name)?.[1];
      if (day === undefined || dayStart(day) === undefined) continue;
      const ofDay = days.get(day) ?? [];
      days.set(day, ofDay);
      ofDay.push(name);
    }
    const rules = names.flatMap((name) => readRule(folder, name)).sort((one, other) => one.number - other.number);
    return {
      days,
      sums: new Set(names.filter((name) => SUMS_FILE.test(name))),
      rules: rules.filter(({ beforeMs }) => beforeMs > 0),
      lastRule: rules.at(-1)?.number ?? 0,
      hasFormerLedger: names.includes("data.mdb"),
    };
  } catch (problem) {
    onProblem(problem);
    return nothing;
  }
}

export function ruleName(number: number): string {
  return `forget-${String(number).padStart(6, "0")}.json`;
}

function readRule(folder: string, name: string): ForgetRule[] {
  const number = Number(RULE_FILE.exec(name)?.[1] ?? 0);
  if (number === 0) return [];
  const read = recordOf(parseJson(unlessMissing(() => readFileSync(join(folder, name), "utf8")) ?? ""));
  return [
    { number, beforeMs: numberOf(read.beforeMs), client: typeof read.client === "string" ? read.client : undefined },
  ];
}

/** The rules that a file with this day and state has not followed yet, the oldest first. */
export function rulesFor(rules: readonly ForgetRule[], file: Pick<LedgerFile, "startMs" | "rule">): ForgetRule[] {
  return rules.filter(({ number, beforeMs }) => number > file.rule && beforeMs > file.startMs);
}

/** A file that was written by another process, or by this one before. */
export class DayFile implements LedgerFile {
  readonly name: string;
  readonly path: string;
  readonly #now: () => number;
  #head: Head;
  #book: FileBook | undefined;
  /** Up to here it was read. */
  #offset = 0;
  #inode = 0;

  /** @throws Error when it cannot be read */
  constructor(folder: string, name: string, now: () => number) {
    this.name = name;
    this.path = join(folder, name);
    this.#now = now;
    this.#head = this.#readHead();
  }

  get startMs(): number {
    return this.#head.startMs;
  }

  get rule(): number {
    return this.#head.rule;
  }

  get isComplete(): boolean {
    return this.#book?.isComplete === true;
  }

  isAlive(): boolean {
    const { mode, mtimeMs } = statSync(this.path, { throwIfNoEntry: false }) ?? { mode: CLOSED_MODE, mtimeMs: 0 };
    return (mode & OWNER_WRITES) !== 0 && isOwnerAlive(this.#head, this.#now() - mtimeMs);
  }

  *book(rules: readonly ForgetRule[]): Generator<undefined, FileBook, undefined> {
    const { ino, size } = statSync(this.path, { throwIfNoEntry: false }) ?? { ino: 0, size: 0 };
    if (ino !== this.#inode || size < this.#offset) {
      // It was rewritten, or this is the first time.
      this.#inode = ino;
      this.#head = this.#readHead();
      this.#book = undefined;
    }
    const pending = rulesFor(rules, this);
    if (this.#book === undefined || (pending.at(-1)?.number ?? 0) > this.#book.rule) {
      this.#book = new FileBook(pending, this.rule);
      this.#offset = 0;
    }
    const book = this.#book;
    for (const { lines, end } of linesForward(this.path, this.#offset)) {
      for (const text of lines) {
        const line = readLine(text);
        if (line !== undefined) book.add(line);
      }
      this.#offset = end;
      yield;
    }
    return book;
  }

  backwards(): Iterable<string> {
    return linesBackward(this.path);
  }

  #readHead(): Head {
    for (const { lines } of linesForward(this.path, 0)) {
      const head = readHead(lines[0] ?? "");
      if (head !== undefined) return head;
      break;
    }
    throw new Error("It does not begin like a file of the ledger.");
  }
}

interface Lines {
  readonly lines: readonly string[];
  /** Where they end. */
  readonly end: number;
}

/** The whole lines of a file from an offset on. What follows the last line break was not written to its end, or not yet. */
export function* linesForward(path: string, from: number): Generator<Lines, void, undefined> {
  let length = CHUNK_BYTES;
  for (let at = from; ; ) {
    const bytes = unlessMissing(() => readAt(path, at, length)) ?? Buffer.alloc(0);
    const lastEnd = bytes.lastIndexOf(LINE_END);
    if (lastEnd < 0 && bytes.length < length) return;
    if (lastEnd < 0) {
      length *= 2; // a line with long texts
      continue;
    }
    const isLast = bytes.length < length;
    at += lastEnd + 1;
    length = CHUNK_BYTES;
    yield { lines: bytes.toString("utf8", 0, lastEnd).split("\n"), end: at };
    if (isLast) return;
  }
}

/** The whole lines of a file, the last one first. No more of it is read than is asked for. */
export function* linesBackward(path: string): Generator<string, void, undefined> {
  let end = unlessMissing(() => statSync(path).size) ?? 0;
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = true;
  while (end > 0) {
    const start = Math.max(0, end - CHUNK_BYTES / 2);
    const read = readOrNothing(path, start, end - start);
    const bytes = rest.length === 0 ? read : Buffer.concat([read, rest]);
    end = read.length === 0 ? 0 : start;
    const first = start === 0 ? 0 : bytes.indexOf(LINE_END) + 1;
    const last = isFirst ? bytes.lastIndexOf(LINE_END) + 1 : bytes.length;
    if ((start > 0 && first === 0) || last < first) {
      rest = bytes;
      continue;
    }
    isFirst = false;
    rest = bytes.subarray(0, first);
    const text = bytes.toString("utf8", first, last);
    for (let to = text.length - 1; to > 0; ) {
      const at = text.lastIndexOf("\n", to - 1);
      yield text.slice(at + 1, to);
      to = at;
    }
  }
}

/** A file that can be read no more has nothing. */
function readOrNothing(path: string, at: number, length: number): Buffer {
  try {
    return readAt(path, at, length);
  } catch {
    return Buffer.alloc(0);
  }
}

/** @throws Error of the file system */
function readAt(path: string, at: number, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    if (!fstatSync(file).isFile()) throw new Error("It is no file.");
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, at));
  } finally {
    closeSync(file);
  }
}
