import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../make-folder.js";
import { unlessMissing } from "../unless-missing.js";

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 5;

interface LogFileLimits {
  readonly maxBytes?: number;
  /** How many files there are at most, the current one included. */
  readonly maxFiles?: number;
}

/**
 * A log file that rotates: before it grows beyond its limit, it becomes `curlew.log.1`, what was `.1` becomes `.2`, and the oldest goes.
 * Everything is done at once, as for a log on stderr, so no line comes between two files and the last line before a crash is kept.
 */
export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #maxFiles: number;
  #file: number;
  #bytes: number;
  /** Rotates beyond this. It grows where a file cannot be renamed, because another program holds it. */
  #limit: number;

  /** @throws Error if the file cannot be written. */
  constructor(path: string, { maxBytes = MAX_BYTES, maxFiles = MAX_FILES }: LogFileLimits = {}) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#maxFiles = maxFiles;
    this.#limit = maxBytes;
    makeFolder(dirname(path));
    this.#file = openForLines(path);
    this.#bytes = fstatSync(this.#file).size;
  }

  write(line: string, onWritten: (error?: Error | null) => void = () => {}): void {
    try {
      const bytes = Buffer.from(line);
      if (this.#bytes > 0 && this.#bytes + bytes.length > this.#limit) this.#rotate();
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
      this.#bytes += bytes.length;
      onWritten();
    } catch (thrown) {
      onWritten(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #rotate(): void {
    try {
      rmSync(`${this.#path}.${this.#maxFiles - 1}`, { force: true });
      for (let number = this.#maxFiles - 2; number > 0; number--) {
        unlessMissing(() => renameSync(`${this.#path}.${number}`, `${this.#path}.${number + 1}`));
      }
      renameSync(this.#path, `${this.#path}.1`);
    } catch {
      this.#limit = this.#bytes + this.#maxBytes; // the lines matter more; try again later
      return;
    }
    const former = this.#file;
    this.#file = openForLines(this.#path);
    closeSync(former);
    this.#bytes = 0;
    this.#limit = this.#maxBytes;
  }
}

function openForLines(path: string): number {
  return openSync(path, "a", 0o600);
}
