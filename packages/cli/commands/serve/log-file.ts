import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { makeFolder } from "@curlew/gateway/system/make-folder.js";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { codeOf, reasonOf } from "@curlew/gateway/turn/reason-of.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { CommandFailure } from "../../terminal/print.js";

/** Opens the file that the log goes to instead of stderr. Crashes are logged there too. */
export async function openLogFile(path: string, events: CommandMachine["events"]) {
  const { createLog } = await import("../../log/log.js");
  try {
    const stream = new LogFile(resolve(path));
    const log = createLog({ level: "error", secrets: [], stream });
    events.on("uncaughtExceptionMonitor", (err) => log.error({ err }, "crashed"));
    return {
      stream,
      /** Logs why the gateway did not start, because its stderr may go unseen. */
      noteFailure(thrown: unknown) {
        log.error({ reason: reasonOf(thrown) }, "not started");
      },
    };
  } catch (thrown) {
    const reason = codeOf(thrown) || String(thrown);
    const text = `The log file ${path} cannot be written (${reason}). Choose another with --log-file.`;
    throw new CommandFailure(1, text);
  }
}

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 5;

interface LogFileOptions {
  readonly maxBytes?: number;
  /** The most files to keep, including the current one. */
  readonly maxFiles?: number;
  readonly fileSystem?: Pick<typeof import("node:fs"), "openSync" | "writeSync">;
}

/** A log file that rotates before it grows beyond its limit. Writes are synchronous, so the last line before a crash is kept. */
export class LogFile {
  readonly #path: string;
  readonly #options: Required<LogFileOptions>;
  #file: number;
  #bytes: number;
  /** Whether a full disk truncated the last line: the next one must begin a new line. */
  #isCut = false;
  /** Rotates beyond this size. Raised if a file cannot be renamed, because another program holds it. */
  #limit: number;

  /** @throws Error if the file cannot be written. */
  constructor(path: string, options: LogFileOptions = {}) {
    this.#path = path;
    this.#options = { maxBytes: MAX_BYTES, maxFiles: MAX_FILES, fileSystem: { openSync, writeSync }, ...options };
    this.#limit = this.#options.maxBytes;
    makeFolder(dirname(path));
    this.#file = this.#open();
    this.#bytes = fstatSync(this.#file).size;
  }

  write(line: string, onWritten: (error?: Error | null) => void = () => {}): void {
    try {
      if (this.#bytes > 0 && this.#bytes + Buffer.byteLength(line) > this.#limit) this.#rotate();
      const bytes = Buffer.from(this.#isCut ? `\n${line}` : line);
      for (let at = 0; at < bytes.length; ) {
        const written = this.#options.fileSystem.writeSync(this.#file, bytes, at);
        at += written;
        this.#bytes += written;
        this.#isCut = at < bytes.length;
      }
      onWritten();
    } catch (thrown) {
      onWritten(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #rotate(): void {
    const { maxFiles } = this.#options;
    try {
      rmSync(`${this.#path}.${maxFiles - 1}`, { force: true });
      for (let number = maxFiles - 2; number > 0; number--) {
        unlessMissing(() => renameSync(`${this.#path}.${number}`, `${this.#path}.${number + 1}`));
      }
      // Missing: an earlier rotation was not able to open the next file.
      unlessMissing(() => renameSync(this.#path, `${this.#path}.1`));
      const former = this.#file;
      this.#file = this.#open();
      closeSync(former);
    } catch {
      this.#limit = this.#bytes + this.#options.maxBytes; // losing lines would be worse; retry later
      return;
    }
    this.#bytes = 0;
    this.#isCut = false;
    this.#limit = this.#options.maxBytes;
  }

  #open(): number {
    return this.#options.fileSystem.openSync(this.#path, "a", 0o600);
  }
}
