import { lstatSync, readFileSync, statSync } from "node:fs";

/** The file is checked at most this often: soon enough for a user who has just changed it. */
const LOOK_EVERY_MS = 1_000;
/** No file of the owner's is nearly as large. */
const MAX_BYTES = 4 * 1024 * 1024;

interface WatchedFileDeps<Value> {
  readonly path: string;
  /** Parses the file; the text of a missing one is undefined. @throws Error when the text cannot be used */
  readonly parse: (text: string | undefined) => Value;
  /** The value until the file could be used for the first time. */
  readonly whenUnusable: Value;
  /** Milliseconds that never jump. */
  readonly elapsed: () => number;
  /** Called once for each state of the file that cannot be used. */
  readonly onProblem: (problem: unknown) => void;
}

/** A file that its owner changes while we run. Checked on demand, at most once a second. While it is broken, the last value stays. */
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

  /** The value right now, without the throttle, for decisions that must not use a replaced file. */
  get newest(): Value {
    this.#lookedMs = Number.NEGATIVE_INFINITY;
    return this.current;
  }

  #look(): void {
    const { path, parse, onProblem } = this.#deps;
    let state: string | undefined;
    try {
      // A dangling link does not count as missing: its target may be on a disk that is not mounted yet.
      const found = lstatSync(path, { throwIfNoEntry: false }) && statSync(path);
      // A replaced file gets another inode, even if time and size are the same.
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
