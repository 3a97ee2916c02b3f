import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fstatSync, ftruncateSync, futimesSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@curlew/gateway/system/clock.js";
import { makeFolder } from "@curlew/gateway/system/make-folder.js";
import { FileBook, type ForgetRule } from "./book.js";
import { CLOSED_MODE, type LedgerFile, linesBackward, listFolder, rulesFor } from "./day-files.js";
import { dayStart, Spans } from "./entry.js";
import { headLine, type Line, readLine, writeLine } from "./line.js";
import { thisProcess } from "./owner.js";

/** Lines held in memory while they cannot be written: those of 4,000 requests. Beyond that the oldest are dropped. */
const MAX_HELD = 12_000;
/** After a pause this long, check whether the file still exists. */
const QUIET_MS = 60_000;

export interface WriterOptions {
  /** Undefined for an in-memory ledger. */
  readonly folder: string | undefined;
  readonly clock: Clock;
  /** Receives problems that did not affect a request. */
  readonly onProblem: (problem: unknown) => void;
}

/** Appends lines to the files of this process, one per day. Lines that cannot be written are held in memory and retried. */
export class DayWriter {
  readonly #options: WriterOptions;
  readonly #files = new Map<string, OwnFile>();
  readonly #spans = new Spans();
  #isTold = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** The files of this process, by day. */
  get files(): ReadonlyMap<string, OwnFile> {
    return this.#files;
  }

  /** Appends a line to the file of the day on which its request began. Never throws. */
  append(atMs: number, line: Line): void {
    const day = this.#spans.dayText(atMs);
    try {
      this.#file(day).append(line);
      this.#isTold = false;
    } catch (problem) {
      this.#tell(problem);
    }
  }

  /** Heartbeat: retries held lines, recreates deleted files, and shows other processes that this one is alive. */
  touch(): void {
    for (const [day, file] of this.#files) {
      this.#try(() => {
        if (file.isInPlace()) file.touch();
        else this.#beginAnew(day, file);
      });
    }
  }

  /** Closes the file of a day. */
  leave(day: string): void {
    this.#files.get(day)?.close();
    this.#files.delete(day);
  }

  close(): void {
    for (const file of this.#files.values()) this.#try(() => file.close());
  }

  #file(day: string): OwnFile {
    const known = this.#files.get(day);
    if (known !== undefined) return known.wasQuiet() && !known.isInPlace() ? this.#beginAnew(day, known) : known;
    const file = new OwnFile(day, this.#options);
    this.#files.set(day, file);
    return file;
  }

  /** Replaces a deleted file with a new one that starts with the open requests. */
  #beginAnew(day: string, gone: OwnFile): OwnFile {
    const next = new OwnFile(day, this.#options);
    this.#files.set(day, next);
    gone.close();
    for (const line of gone.unfinished()) next.append(line);
    return next;
  }

  #try(act: () => void): void {
    try {
      act();
      this.#isTold = false;
    } catch (problem) {
      this.#tell(problem);
    }
  }

  #tell(problem: unknown): void {
    if (!this.#isTold) this.#options.onProblem(problem);
    this.#isTold = true;
  }
}

/** The file of this process for one day. No other process changes it. */
export class OwnFile implements LedgerFile {
  readonly name: string;
  readonly startMs: number;
  readonly #options: WriterOptions;
  #book: FileBook;
  #file: number | undefined;
  #bytes = 0;
  rule = 0;
  #isTorn = false;
  #appendedMs = 0;
  /** Lines that are not written yet. */
  #held: string[] = [];

  constructor(day: string, options: WriterOptions) {
    this.name = `${day}.${process.pid}-${randomBytes(6).toString("hex")}.jsonl`;
    this.startMs = dayStart(day) ?? 0;
    this.#options = options;
    this.#book = new FileBook([], 0);
  }

  get path(): string | undefined {
    const { folder } = this.#options;
    return folder === undefined ? undefined : join(folder, this.name);
  }

  get isComplete(): boolean {
    return this.#book.isComplete && this.#held.length === 0;
  }

  isAlive(): boolean {
    return true;
  }

  // biome-ignore lint/correctness/useYield: the book is kept in memory; the file is read only to apply new forget rules
  *book(rules: readonly ForgetRule[]): Generator<undefined, FileBook, undefined> {
    const pending = rulesFor(rules, this);
    if ((pending.at(-1)?.number ?? 0) > this.#book.rule) {
      const book = new FileBook(pending, this.rule);
      for (const text of [...this.backwards()].reverse()) {
        const line = readLine(text);
        if (line !== undefined) book.add(line);
      }
      this.#book = book;
    }
    return this.#book;
  }

  *backwards(): Generator<string, void, undefined> {
    for (let at = this.#held.length - 1; at >= 0; at--) yield this.#held[at] ?? "";
    if (this.#bytes > 0 && this.path !== undefined) yield* linesBackward(this.path);
  }

  unfinished(): Iterable<Line> {
    return this.#book.unfinished();
  }

  /** Appends a line in one write. @throws Error of the file system; the line is then held in memory */
  append(line: Line): void {
    this.#book.add(line);
    this.#held.push(writeLine(line));
    if (this.#held.length > MAX_HELD) this.#held.shift();
    this.#appendedMs = this.#options.clock.elapsed();
    this.flush();
  }

  /** Whether nothing was appended for so long that the file may have been deleted. */
  wasQuiet(): boolean {
    return this.#options.clock.elapsed() - this.#appendedMs > QUIET_MS;
  }

  /** @throws Error of the file system if it cannot be written */
  flush(): void {
    if (this.#options.folder === undefined || this.#held.length === 0) return;
    this.#file ??= this.#open(this.#options.folder);
    // Probe with one line before writing the rest.
    const first = this.#held[0] ?? "";
    this.#write(this.#file, this.#isTorn ? `\n${first}` : first);
    this.#held.shift();
    if (this.#held.length > 0) this.#write(this.#file, this.#held.join(""));
    this.#held.length = 0;
  }

  /** Whether the file still exists in its folder. */
  isInPlace(): boolean {
    return this.#file === undefined || fstatSync(this.#file).nlink > 0;
  }

  touch(): void {
    this.flush();
    const nowS = this.#options.clock.now() / 1_000;
    if (this.#file !== undefined && !this.#book.isComplete) futimesSync(this.#file, nowS, nowS);
  }

  /** Reopens the file after it was rewritten and moved into place. */
  replaced(book: FileBook, rule: number): void {
    if (this.#file === undefined || this.path === undefined) return;
    closeSync(this.#file);
    this.#file = openSync(this.path, "a", 0o600);
    this.#bytes = fstatSync(this.#file).size;
    this.#isTorn = false;
    this.rule = rule;
    this.#book = book;
  }

  close(): void {
    try {
      this.flush();
    } finally {
      const file = this.#file;
      this.#file = undefined;
      if (file !== undefined) {
        fchmodSync(file, CLOSED_MODE);
        closeSync(file);
      }
    }
  }

  #open(folder: string): number {
    makeFolder(folder);
    const { lastRule } = listFolder(folder, this.#options.onProblem);
    const path = join(folder, this.name);
    // It may exist already, begun and closed earlier.
    const file = openSync(path, "a", 0o600);
    this.#bytes = fstatSync(file).size;
    if (this.#bytes > 0) return file;
    this.rule = lastRule;
    try {
      this.#write(file, headLine(thisProcess(), this));
    } catch (thrown) {
      closeSync(file);
      rmSync(path, { force: true });
      throw thrown;
    }
    return file;
  }

  #write(file: number, text: string): void {
    const bytes = Buffer.from(text);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    } catch (thrown) {
      this.#takeBack(file);
      throw thrown;
    }
    this.#bytes += bytes.length;
    this.#isTorn = false;
  }

  /** Rolls back a partial write. If that fails, the next line starts with a line break. */
  #takeBack(file: number): void {
    try {
      ftruncateSync(file, this.#bytes);
    } catch {
      this.#isTorn = true;
    }
  }
}
