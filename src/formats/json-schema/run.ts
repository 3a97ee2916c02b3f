import type { Steps } from "../steps.js";
import type { Resource } from "./node.js";

export interface Position {
  readonly above: Position;
  readonly key: string | number;
}
export const ROOT: Position = {
  key: "",
  get above() {
    return ROOT;
  },
};

export interface Fault {
  readonly position: Position;
  readonly message: string;
  /** The value that the rule names, if there is one. */
  readonly detail?: unknown;
}

/** Answers that are deeper, and schemas that refer to themselves without end, are given up. */
const MAX_DEPTH = 1_000;
const MAX_FAULTS = 5;

/** Thrown for values that are nested too deeply to be checked. */
export class TooDeep extends Error {}

export class Run {
  readonly faults: Fault[] = [];
  readonly steps: Steps;
  /** The documents on the way to the current one, the outermost first. */
  readonly resources: Resource[] = [];
  #depth = 0;

  constructor(steps: Steps) {
    this.steps = steps;
  }

  /** Records a fault. Returns false, so that a check can end with it. */
  fail(position: Position, message: string, detail?: unknown): false {
    if (this.faults.length < MAX_FAULTS)
      this.faults.push({ position, message, ...(detail !== undefined && { detail }) });
    return false;
  }

  /** The result of a trial whose faults are discarded. */
  try(trial: () => boolean): boolean {
    const before = this.faults.length;
    const fits = trial();
    this.faults.length = before;
    return fits;
  }

  /** @throws TooDeep when the value is nested too deeply */
  enter(): void {
    if (++this.#depth > MAX_DEPTH) throw new TooDeep();
  }

  leave(): void {
    this.#depth--;
  }
}

export function toPointer(position: Position): string {
  const keys: string[] = [];
  for (let here = position; here !== ROOT; here = here.above) {
    keys.push(String(here.key).replaceAll("~", "~0").replaceAll("/", "~1"));
  }
  return keys
    .reverse()
    .map((key) => `/${key}`)
    .join("");
}
