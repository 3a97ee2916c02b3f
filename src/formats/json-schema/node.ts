import type { Position, Run } from "./run.js";
import { Seen } from "./seen.js";

/** One rule of a schema. Returns false, and records why, when the value breaks it. */
export type Check = (value: unknown, position: Position, run: Run, seen: Seen | undefined) => boolean;

/** A schema that has been read. Its rules are filled in later, because schemas refer to each other in circles. */
export interface SchemaNode {
  readonly checks: Check[];
  readonly resource: Resource;
  /** Whether its last rules need to know which parts were evaluated. */
  readonly isWatching: boolean;
}

/** A schema with an address of its own, and the anchors inside it. */
export interface Resource {
  readonly address: string;
  readonly root: unknown;
  readonly anchors: Map<string, object>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether all items fit. Each is checked, so that no fault is left out. */
export function allFit<Item>(items: Iterable<Item>, isFitting: (item: Item) => boolean): boolean {
  let areFitting = true;
  for (const item of items) if (!isFitting(item)) areFitting = false;
  return areFitting;
}

/** Whether the value fits all rules. If it does, the evaluated parts are added to `seen`. */
export function fits(node: SchemaNode, value: unknown, position: Position, run: Run, seen?: Seen): boolean {
  run.steps.spend(1 + node.checks.length);
  run.enter();
  const isOther = run.resources.at(-1) !== node.resource;
  if (isOther) run.resources.push(node.resource);
  const own = seen !== undefined || node.isWatching ? new Seen() : undefined;
  const isFitting = allFit(node.checks, (check) => check(value, position, run, own));
  if (isFitting && own !== undefined) seen?.add(own);
  if (isOther) run.resources.pop();
  run.leave();
  return isFitting;
}
