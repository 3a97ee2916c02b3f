import { isObject } from "../../../turn/read-json.js";
import type { Steps } from "../steps.js";

export type CheckContext = [position: Position, run: Run, seen: Seen | undefined];

/** One rule of a schema. Returns false, and records why, when the value breaks it. */
export type Check = (value: unknown, ...context: CheckContext) => boolean;

/** A schema that has been read. Its rules are filled in later, because schemas refer to each other in circles. */
export interface SchemaNode {
  readonly checks: Check[];
  readonly resource: Resource;
  /** Whether its last rules need to know which parts were evaluated. */
  readonly isWatching: boolean;
}

export interface Resource {
  readonly address: string;
  readonly root: unknown;
  readonly anchors: Map<string, object>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

/** Like `every`, but checks all items, so that every fault is reported. */
export function allFit<Item>(items: Iterable<Item>, isFitting: (item: Item) => boolean): boolean {
  let areFitting = true;
  for (const item of items) if (!isFitting(item)) areFitting = false;
  return areFitting;
}

/** Whether the value fits all rules. If it does, the evaluated parts are added to `seen`. @throws TooDeep */
export function fits(node: SchemaNode, value: unknown, position: Position, run: Run, seen?: Seen): boolean {
  run.steps.spend(1 + node.checks.length);
  if (++run.depth > MAX_DEPTH) throw new TooDeep();
  const isOther = run.resources.at(-1) !== node.resource;
  if (isOther) run.resources.push(node.resource);
  const own = seen !== undefined || node.isWatching ? new Seen() : undefined;
  const isFitting = allFit(node.checks, (check) => check(value, position, run, own));
  if (isFitting && own !== undefined) seen?.add(own);
  if (isOther) run.resources.pop();
  run.depth--;
  return isFitting;
}

/** Whether two JSON values are equal, whatever the order of their keys. */
export function isEqual(a: unknown, b: unknown, steps: Steps): boolean {
  steps.spend(1);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, index) => isEqual(each, b[index], steps));
  }
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  steps.spend(keys.length);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key], steps))
  );
}

/** A text that is the same for equal values. */
export function toComparable(value: unknown, steps: Steps): string {
  steps.spend(1);
  if (Array.isArray(value)) return `[${value.map((each) => toComparable(each, steps)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${toComparable(value[key], steps)}`).join()}}`;
}

/** The parts of a value that some rule has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Seen {
  readonly properties = new Set<string>();
  readonly items = new Set<number>();
  hasAllProperties = false;
  #itemsBefore = 0;

  addItemsBefore(end: number): void {
    this.#itemsBefore = Math.max(this.#itemsBefore, end);
  }

  add(other: Seen): void {
    for (const name of other.properties) this.properties.add(name);
    for (const index of other.items) this.items.add(index);
    this.hasAllProperties ||= other.hasAllProperties;
    this.addItemsBefore(other.#itemsBefore);
  }

  hasProperty(name: string): boolean {
    return this.hasAllProperties || this.properties.has(name);
  }

  hasItem(index: number): boolean {
    return index < this.#itemsBefore || this.items.has(index);
  }
}

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
  readonly detail?: unknown;
}

/** The limit for deep answers, and for schemas that refer to themselves endlessly. */
const MAX_DEPTH = 1_000;
const MAX_FAULTS = 5;

export class TooDeep extends Error {}

export class Run {
  readonly faults: Fault[] = [];
  readonly steps: Steps;
  /** The documents on the way to the current one, the outermost first. */
  readonly resources: Resource[] = [];
  depth = 0;

  constructor(steps: Steps) {
    this.steps = steps;
  }

  /** Records a fault. Returns false, so that a check can end with it. */
  fail(position: Position, message: string, detail?: unknown): false {
    if (this.faults.length < MAX_FAULTS)
      this.faults.push({ position, message, ...(detail !== undefined && { detail }) });
    return false;
  }

  try(trial: () => boolean): boolean {
    const before = this.faults.length;
    const fits = trial();
    this.faults.length = before;
    return fits;
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
