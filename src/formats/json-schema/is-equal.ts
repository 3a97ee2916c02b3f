import type { Steps } from "../steps.js";
import { isObject } from "./node.js";

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
