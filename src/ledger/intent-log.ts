import { randomBytes } from "node:crypto";
import { closeSync, fstatSync, ftruncateSync, futimesSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../make-folder.js";
import { logsFolder } from "./log-folder.js";
import { headLine } from "./log-item.js";
import { thisProcess } from "./owner.js";

const lineEnd = Buffer.from("\n");

/**
 * The log of this process: what happens to requests is appended to it at once, and what is appended survives the end of the process
 * however it comes, because the system has it. It stays small, because it is emptied when everything in it is in the tables.
 *
 * No other process changes a log while its owner lives. If one is ever taken for dead (a machine that slept, a process that was
 * stopped), its log may be booked and deleted: its open requests are then booked as interrupted. The owner notices that its file is
 * gone, writes a new one with all that is still open, and the true end of those requests replaces what was booked.
 */
export class IntentLog {
  readonly #folder: string;
  #file: { readonly number: number; readonly path: string; readonly headBytes: number } | undefined;
  #bytes = 0;
  /** A line was perhaps not written to its end. */
  #isTorn = false;

  constructor(folder: string) {
    this.#folder = logsFolder(folder);
  }

  /** Where the log is; undefined while there is none. */
  get path(): string | undefined {
    return this.#file?.path;
  }

  /** How much was appended since the log was empty. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether something is missing in the log that was to be appended. */
  get isTorn(): boolean {
    return this.#isTorn;
  }

  /**
   * Begins a new log that has these lines, and deletes the one before. A process that is killed in between leaves both.
   * @throws Error of the file system when it cannot be written; the log before goes on
   */
  begin(rule: number, lines: Iterable<string> = []): void {
    makeFolder(this.#folder);
    const path = join(this.#folder, `${process.pid}-${randomBytes(6).toString("hex")}.log`);
    const number = openSync(path, "ax", 0o600);
    try {
      const head = Buffer.from(headLine({ ...thisProcess(), rule }));
      const rest = Buffer.from([...lines].join(""));
      writeAll(number, Buffer.concat([head, rest]));
      this.end();
      this.#file = { number, path, headBytes: head.length };
      this.#bytes = rest.length;
      this.#isTorn = false;
    } catch (thrown) {
      closeSync(number);
      rmSync(path, { force: true });
      throw thrown;
    }
  }

  /**
   * Appends a line in one write.
   * @throws Error of the file system when it cannot be written
   */
  append(line: Buffer, length = line.length): void {
    if (this.#file === undefined) throw new Error("There is no log to append to.");
    const wasTorn = this.#isTorn;
    // An empty line protects this one from what may be left of the line before.
    if (wasTorn) writeAll(this.#file.number, lineEnd, 1);
    this.#isTorn = true;
    writeAll(this.#file.number, line, length);
    this.#bytes += length;
    this.#isTorn = wasTorn;
  }

  /** Leaves nothing in the log but its head. */
  empty(): void {
    if (this.#file === undefined || this.#bytes === 0) return;
    ftruncateSync(this.#file.number, this.#file.headBytes);
    this.#bytes = 0;
    this.#isTorn = false;
  }

  /** Whether the file is still in its folder. */
  isInPlace(): boolean {
    return this.#file !== undefined && fstatSync(this.#file.number).nlink > 0;
  }

  /** Tells other processes that the owner lives. */
  touch(nowMs: number): void {
    if (this.#file !== undefined) futimesSync(this.#file.number, nowMs / 1_000, nowMs / 1_000);
  }

  /** Deletes the log. */
  end(): void {
    const file = this.#file;
    this.leave();
    if (file !== undefined) rmSync(file.path, { force: true });
  }

  /** Leaves the log to be recovered. */
  leave(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file.number);
  }
}

function writeAll(file: number, bytes: Buffer, length = bytes.length): void {
  for (let at = 0; at < length; ) at += writeSync(file, bytes, at, length - at);
}
