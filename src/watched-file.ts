import { lstatSync, readFileSync, statSync } from "node:fs";

/** How often the file is looked at, at most: often enough for a person who has just changed it. */
const LOOK_EVERY_MS = 1_000;
/** No file of the owner's is nearly as large. */
const MAX_BYTES = 4 * 1024 * 1024;

interface WatchedFileDeps<Value> {
  readonly path: string;
  /** What the file says; undefined is the text of a missing file. @throws Error when the text cannot be used */
  readonly parse: (text: string | undefined) => Value;
  /** Stands for a file that could not be used when it was first read. */
  readonly whenUnusable: Value;
  /** Milliseconds that never jump. */
  readonly elapsed: () => number;
  /** Called once for each state of the file that cannot be used. */
  readonly onProblem: (problem: unknown) => void;
}

/** A file that its owner changes while we run, looked at on demand, at most once a second. While it is broken, the last value stays. */
export class WatchedFile<Value> {
  readonly #deps: WatchedFileDeps<Value>;
  #value: Value;
  #state: string | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: WatchedFileDeps<Value>) {
    this.#deps = deps;
    this.#value = deps.whenUnusable;
  }

  get path(): string {
    return this.#deps.path;
  }

  get current(): Value {
    const nowMs = this.#deps.elapsed();
    if (nowMs - this.#lookedMs >= LOOK_EVERY_MS) {
      this.#lookedMs = nowMs;
      this.#look();
    }
    return this.#value;
  }

  /** What the file says at this moment, for what must not rest on something that has just been replaced. */
  get newest(): Value {
    this.#lookedMs = Number.NEGATIVE_INFINITY;
    return this.current;
  }

  #look(): void {
    const { path, parse, onProblem } = this.#deps;
    let state: string | undefined;
    try {
      // A link that leads nowhere is no missing file: its target may be on a disk that is not mounted yet.
      const found = lstatSync(path, { throwIfNoEntry: false }) && statSync(path);
      // A file that is replaced gets another inode, also within the same moment.
      state = found === undefined ? "missing" : `${found.mtimeMs} ${found.ino} ${found.size}`;
      if (state === this.#state) return;
      if (found !== undefined && found.size > MAX_BYTES) throw new Error(`${path} is larger than ${MAX_BYTES} bytes.`);
      this.#value = parse(found === undefined ? undefined : readFileSync(path, "utf8"));
    } catch (problem) {
      state ??= String(problem);
      if (state !== this.#state) onProblem(problem);
    }
    this.#state = state;
  }
}
