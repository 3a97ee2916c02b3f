import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { parseJson } from "@curlew/gateway/turn/read-json.js";
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
/** A closed file becomes read-only: its process never appends to it again. */
export const CLOSED_MODE = 0o400;
const OWNER_WRITES = 0o200;

/** The lines of one process about one day. */
export interface LedgerFile {
  readonly name: string;
  readonly startMs: number;
  /** Number of the last forget rule applied to it. */
  readonly rule: number;
  isAlive(): boolean;
  /** True if nothing was open or waiting when it was last read. */
  readonly isComplete: boolean;
  /** The sums of its lines, without what the rules forget. Reads only what was appended since, in steps. */
  book(rules: readonly ForgetRule[]): Generator<undefined, FileBook, undefined>;
  /** Its lines, last one first. */
  backwards(): Iterable<string>;
}

export interface Listing {
  /** File names by day, in order. */
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

/** The rules not yet applied to a file, oldest first. */
export function rulesFor(rules: readonly ForgetRule[], file: Pick<LedgerFile, "startMs" | "rule">): ForgetRule[] {
  return rules.filter(({ number, beforeMs }) => number > file.rule && beforeMs > file.startMs);
}

/** A file written by another process, or earlier by this one. */
export class DayFile implements LedgerFile {
  readonly name: string;
  readonly path: string;
  readonly #now: () => number;
  #head: Head;
  #book: FileBook | undefined;
  /** The file has been read up to here. */
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
      // Rewritten, or read for the first time.
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
    throw new Error("It has no valid ledger header.");
  }
}

interface Lines {
  readonly lines: readonly string[];
  /** Where they end. */
  readonly end: number;
}

/** The complete lines of a file from an offset on. Anything after the last line break is torn or still being written. */
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

/** The complete lines of a file, last one first. Lazy: reads no more of the file than the caller consumes. */
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

/** A file that can no longer be read counts as empty. */
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
    if (!fstatSync(file).isFile()) throw new Error("It is not a file.");
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, at));
  } finally {
    closeSync(file);
  }
}
