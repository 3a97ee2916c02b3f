import type { LogStream } from "../../ops/log-output.js";

type OnWritten = (error?: Error | null) => void;

/** Holds lines back while something else is being written, so that they do not come in the middle of it. */
export class HeldStream implements LogStream {
  readonly #stream: LogStream;
  #held: { line: string; onWritten: OnWritten | undefined }[] | undefined = [];

  constructor(stream: LogStream) {
    this.#stream = stream;
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true;
  }

  get columns(): number | undefined {
    return this.#stream.columns;
  }

  get writableLength(): number {
    return this.#stream.writableLength ?? 0;
  }

  write(line: string, onWritten?: OnWritten): void {
    if (this.#held === undefined) this.#stream.write(line, onWritten);
    else this.#held.push({ line, onWritten });
  }

  /** Writes what was held back, and from now on everything at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { line, onWritten } of held) this.#stream.write(line, onWritten);
  }
}
