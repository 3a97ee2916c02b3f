import { isDeepStrictEqual } from "node:util";
import { type Edit, isObject } from "./merge.js";

/**
 * The edits of `now` that undo the change from `original` to `written`. Later changes stay, whoever made them: many clients
 * rewrite their settings at every start.
 */
export function editsToRevert(now: unknown, written: unknown, original: unknown): Edit[] {
  return differences(now, reverted(now, written, original) ?? {}, []);
}

function reverted(now: unknown, written: unknown, original: unknown): unknown {
  if (isDeepStrictEqual(now, written)) return original;
  if (Array.isArray(now) && Array.isArray(written)) {
    const before: unknown[] = Array.isArray(original) ? original : [];
    const added = written.filter((each) => !before.some((old) => isDeepStrictEqual(old, each)));
    const rest = now.filter((each) => !added.some((ours) => covers(each, ours)));
    return rest.length === 0 ? original : rest;
  }
  if (!isObject(now) || !isObject(written)) return now;
  const before = isObject(original) ? original : {};
  const entries = Object.entries(now).map(([key, value]) => [
    key,
    key in written ? reverted(value, written[key], before[key]) : value,
  ]);
  const rest = entries.filter(([, value]) => value !== undefined);
  return rest.length === 0 ? original : Object.fromEntries(rest);
}

/** Whether a member of a list is ours, even if something was added to it. */
function covers(value: unknown, ours: unknown): boolean {
  if (!isObject(value) || !isObject(ours)) return isDeepStrictEqual(value, ours);
  return Object.entries(ours).every(([key, each]) => covers(value[key], each));
}

function differences(from: unknown, to: unknown, path: Edit["path"]): Edit[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to) && to.every((each) => from.includes(each))) {
    // Members are removed from the end, so that the indices of the others stay valid.
    const gone = from.flatMap((each, index) => (to.includes(each) ? [] : [index])).reverse();
    return gone.map((index) => ({ path: [...path, index], value: undefined }));
  }
  if (!isObject(from) || !isObject(to)) return [{ path, value: to }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) =>
    key in to ? differences(from[key], to[key], [...path, key]) : [{ path: [...path, key], value: undefined }],
  );
}
