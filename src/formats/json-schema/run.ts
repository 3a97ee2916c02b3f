import type { Steps } from "../steps.js";
import type { Resource } from "./node.js";

/** Where in the answer a value stands. */
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
  readonly place: Position;
  readonly message: string;
  /** What the rule names, if it names something. */
  readonly detail?: unknown;
}

/** An answer, or a schema that refers to itself without end, is deeper than this. */
const MAX_DEPTH = 1_000;
const MAX_FAULTS = 5;

/** Values that go deeper than can be followed. */
export class TooDeep extends Error {}

/** One check of one value: what was found wrong, and how much work it was. */
export class Run {
  readonly faults: Fault[] = [];
  readonly steps: Steps;
  /** The documents that lead here, the outermost first. */
  readonly resources: Resource[] = [];
  #depth = 0;

  constructor(steps: Steps) {
    this.steps = steps;
  }

  /** Always false, so that a check can end with it. */
  fail(place: Position, message: string, detail?: unknown): false {
    if (this.faults.length < MAX_FAULTS) this.faults.push({ place, message, ...(detail !== undefined && { detail }) });
    return false;
  }

  /** The result of a trial whose faults do not count. */
  try(trial: () => boolean): boolean {
    const before = this.faults.length;
    const fits = trial();
    this.faults.length = before;
    return fits;
  }

  enter(): void {
    if (++this.#depth > MAX_DEPTH) throw new TooDeep();
  }

  leave(): void {
    this.#depth--;
  }
}

export function toPointer(place: Position): string {
  const keys: string[] = [];
  for (let here = place; here !== ROOT; here = here.above) {
    keys.push(String(here.key).replaceAll("~", "~0").replaceAll("/", "~1"));
  }
  return keys
    .reverse()
    .map((key) => `/${key}`)
    .join("");
}
