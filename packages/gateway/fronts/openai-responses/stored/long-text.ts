import type { TextStore } from "../../../core/index.js";

/** A text in the store has at most 8 MiB, and a character takes at most three bytes. */
const PART_CHARACTERS = 2 * 1024 * 1024;

/** Long texts (they may contain images) are stored in parts. The first part says how many there are. */
export function getLongText(store: TextStore, id: string): string | undefined {
  const head = store.get(id);
  if (head === undefined) return undefined;
  const parts = [head.slice(head.indexOf("\n") + 1)];
  for (let part = 1; part < countOf(head); part++) {
    const text = store.get(partId(id, part));
    if (text === undefined) return undefined; // it was too large for the store
    parts.push(text);
  }
  return parts.join("");
}

/** Yields between two parts, so that other requests can run. */
export function* putLongText(
  store: TextStore,
  id: string,
  text: string,
  beside?: string,
): Generator<undefined, undefined> {
  const parts = split(text);
  // The first part is written last: a text without it does not exist.
  for (const [part, each] of parts.entries()) {
    if (part === 0) continue;
    yield;
    store.put(partId(id, part), each, beside);
  }
  if (parts.length > 1) yield;
  store.put(id, `${parts.length}\n${parts[0] ?? ""}`, beside);
}

export function deleteLongText(store: TextStore, id: string): boolean {
  const count = countOf(store.get(id) ?? "");
  for (let part = 1; part < count; part++) store.delete(partId(id, part));
  return store.delete(id);
}

function split(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + PART_CHARACTERS;
    // A part never ends between the two halves of a surrogate pair.
    const isHalf = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
    parts.push(text.slice(at, isHalf ? end - 1 : end));
    at = isHalf ? end - 1 : end;
  }
  return parts;
}

function countOf(head: string): number {
  return Number.parseInt(head, 10) || 0;
}

function partId(id: string, part: number): string {
  return `${id} part ${part}`;
}
