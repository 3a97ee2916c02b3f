export interface LogStream {
  write(line: string, onWritten?: (error?: Error | null) => void): unknown;
  on?(event: "error", listener: (error: Error) => void): unknown;
  listeners?(event: "error"): unknown[];
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  readonly writableLength?: number;
}

/** Back-pressure limit: if the reader is too slow, lines beyond it are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Output of the log. Lines that cannot be written, as on a full disk, are dropped; the next write reports their count. */
export class LogOutput {
  lostLines = 0;
  readonly #stream: LogStream;
  readonly #now: () => number;
  #untoldLines = 0;

  constructor(stream: LogStream, now: () => number = Date.now) {
    this.#stream = stream;
    this.#now = now;
    surviveErrors(stream);
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true;
  }

  /** The current width of the terminal; undefined if the stream is not one. */
  get columns(): number | undefined {
    return this.isTTY ? this.#stream.columns : undefined;
  }

  write(line: string): void {
    if ((this.#stream.writableLength ?? 0) > MAX_WAITING_BYTES) this.#lose();
    else this.#tryToWrite(line, this.#onWritten);
  }

  readonly #onWritten = (error?: Error | null): void => {
    if (error) this.#lose();
    else if (this.#untoldLines > 0) this.#tellLoss();
  };

  #tellLoss(): void {
    const lines = this.#untoldLines;
    this.#untoldLines = 0;
    const time = new Date(this.#now()).toISOString();
    const line = JSON.stringify({ level: "warn", time, lines, msg: "lines of this log were lost" });
    this.#tryToWrite(`${line}\n`, (error) => {
      if (error) this.#untoldLines += lines;
    });
  }

  #tryToWrite(line: string, onWritten: (error?: Error | null) => void): void {
    try {
      this.#stream.write(line, onWritten);
    } catch (thrown) {
      onWritten(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  #lose(): void {
    this.lostLines++;
    this.#untoldLines++;
  }
}

/** Without an error listener, a stream that cannot be written would end the process. */
export function surviveErrors(stream: Pick<LogStream, "on" | "listeners">): void {
  if (stream.listeners?.("error").includes(ignore) !== true) stream.on?.("error", ignore);
}

function ignore(): void {}
