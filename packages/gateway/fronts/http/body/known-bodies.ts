import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { Clock } from "../../../system/clock.js";
import { listField } from "../../../turn/read-json.js";
import { MAX_BODY_VALUES, MAX_MESSAGES } from "../../../turn/request-limits.js";
import type { RequestMemory } from "../request-memory.js";
import { countValues, endOfString, parseJson } from "./parse-json.js";

/** Shorter bodies are parsed faster than they are compared. */
const MIN_BYTES = 32 * 1024;
/** The search for the entries of a longer body would hold up other requests. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_BODIES = 16;
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const IDLE_MS = 10 * 60_000;
/** What a body holds, for each of its bytes: the bytes, the values that were parsed, and what was made of them. */
const HELD_PER_BYTE = 3;
/** The lists that grow with a conversation. */
const LISTS = new Set(["messages", "input"]);

const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Stands for the entries while the rest is parsed. No body can contain it, so another list of the same name is noticed. */
const mark = randomUUID();

interface KnownBody {
  readonly owner: string;
  readonly bytes: Buffer;
  /** The memory of the bytes, which a later body may take over. */
  readonly room: Buffer;
  readonly usedMs: number;
  /** Looked for when another body begins in the same way. */
  readonly list: () => GrowingList | undefined;
}

/** The list of a body that grows with the conversation. All its entries are objects. */
interface GrowingList extends ListPlace {
  readonly entries: readonly unknown[];
  /** The JSON values in the whole body, or more. */
  readonly values: number;
  /** The body with the mark as its list. */
  readonly rest: Readonly<Record<string, unknown>>;
}

interface ListPlace {
  readonly name: string;
  /** The position after the opening bracket. */
  readonly start: number;
  /** The positions after the entries. */
  readonly ends: readonly number[];
  /** The position of the closing bracket. */
  readonly end: number;
}

/**
 * An agent sends its whole conversation with each result of a tool: the same bytes as before, with a little more at the end. What a
 * body has in common with an earlier one of its owner is not parsed again. Its entries are the same objects, so what was made of
 * them is found again (`turn/per-object.ts`). Otherwise, the outcome is that of `parseJson`.
 */
export class KnownBodies {
  readonly #memory: RequestMemory;
  readonly #clock: Clock;
  /** The most recently used comes last. */
  #known: readonly KnownBody[] = [];
  #isWatched = false;

  constructor(memory: RequestMemory, clock: Clock) {
    this.#memory = memory;
    this.#clock = clock;
    memory.onFull = () => this.#keep([]);
  }

  /** @throws {GatewayError} like `parseJson`. */
  readonly parse = (bytes: Buffer, owner: string): unknown => {
    const isFit = bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES && bytes[0] === OPEN_OBJECT;
    if (!isFit) return parseJson(bytes);
    const { best, same } = this.#find(bytes, owner);
    const list = best?.list();
    const longer = best && list && continueList(list, best.bytes, same, bytes);
    if (longer === undefined) {
      const body = parseJson(bytes);
      this.#remember(bytes, owner, (copy) => once(() => findList(copy, body)));
      return body;
    }
    const isContinued = same > (list?.ends.at(-1) ?? 0);
    this.#remember(bytes, owner, () => () => longer, isContinued ? best : undefined);
    return { ...longer.rest, [longer.name]: longer.entries };
  };

  /** The body of which this one repeats the most, and how many bytes that is. */
  #find(bytes: Buffer, owner: string): { best: KnownBody | undefined; same: number } {
    let best: KnownBody | undefined;
    let same = 0;
    for (let at = this.#known.length - 1; at >= 0; at--) {
      const known = this.#known[at];
      if (known?.owner !== owner || Math.min(known.bytes.length, bytes.length) <= same) continue;
      // Most have less in common than the newest one of the conversation, which one comparison shows.
      if (known.bytes.compare(bytes, 0, same + 1, 0, same + 1) === 0)
        [best, same] = [known, commonPrefix(known.bytes, bytes)];
    }
    return { best, same };
  }

  /** @param continued is forgotten: the next body of this conversation repeats the newer one. */
  #remember(bytes: Buffer, owner: string, listIn: (copy: Buffer) => KnownBody["list"], continued?: KnownBody): void {
    const dropped = continued ?? (this.#known.length < MAX_BODIES ? undefined : this.#known[0]);
    // A new buffer for each body would make V8 collect far more often.
    const isRoomy = dropped !== undefined && dropped.room.length >= bytes.length;
    const room = isRoomy ? dropped.room : Buffer.allocUnsafeSlow(Math.min(Math.ceil(1.5 * bytes.length), MAX_BYTES));
    room.set(bytes);
    const copy = room.subarray(0, bytes.length);
    const known = { owner, bytes: copy, room, usedMs: this.#clock.now(), list: listIn(copy) };
    this.#keep([...this.#known.filter((other) => other !== dropped), known]);
  }

  #keep(bodies: readonly KnownBody[]): void {
    let heldBytes = 0;
    let from = bodies.length;
    for (; from > 0; from--) {
      const bytes = HELD_PER_BYTE * (bodies[from - 1]?.room.length ?? 0);
      if (heldBytes + bytes > MAX_HELD_BYTES) break;
      heldBytes += bytes;
    }
    this.#known = bodies.slice(from);
    this.#memory.keep(heldBytes);
    if (this.#isWatched || this.#known.length === 0) return;
    this.#isWatched = true;
    this.#clock.after(IDLE_MS, () => {
      this.#isWatched = false;
      const idleSince = this.#clock.now() - IDLE_MS;
      this.#keep(this.#known.filter(({ usedMs }) => usedMs > idleSince));
    });
  }
}

/** Undefined if the new body must be parsed as a whole, to use it or to say what is wrong with it. */
function continueList(list: GrowingList, known: Buffer, same: number, bytes: Buffer): GrowingList | undefined {
  const { name, start } = list;
  const count = list.ends.findLastIndex((end) => end <= same) + 1;
  const from = list.ends[count - 1];
  if (from === undefined || !isUtf8(bytes.subarray(from))) return undefined;
  const restAt = bytes.length - (known.length - list.end);
  const isRestSame = restAt >= from && known.compare(bytes, restAt, bytes.length, list.end) === 0;
  const added = readEntries(bytes.toString("latin1", from, isRestSame ? restAt : bytes.length));
  const end = from + added.end;
  if (isRestSame ? end !== restAt : bytes[end] !== CLOSE_LIST) return undefined;
  const text = bytes.toString("utf8", from, end);
  const [lead = "", comma] = /^[ \t\n\r]*(,)?/.exec(text) ?? [];
  if ((comma !== undefined) !== added.ends.length > 0) return undefined;
  try {
    const fresh = parseCounted(`{"messages":[${text.slice(lead.length)}]}`);
    const rest = isRestSame ? undefined : parseCounted(textAround(bytes, start, end));
    const entries = [...list.entries.slice(0, count), ...listField(fresh.value, "messages")];
    const values = list.values + fresh.values + (rest?.values ?? 0);
    const isSound = entries.length === count + added.ends.length && (rest === undefined || hasMark(rest.value, name));
    if (!isSound || entries.length > MAX_MESSAGES || values > MAX_BODY_VALUES) return undefined;
    const ends = [...list.ends.slice(0, count), ...added.ends.map((at) => from + at)];
    return { name, start, ends, end, entries, values, rest: rest?.value ?? list.rest };
  } catch {
    return undefined;
  }
}

/** Finds the list of a body that was parsed. */
function findList(bytes: Buffer, body: unknown): GrowingList | undefined {
  const text = bytes.toString("latin1");
  const place = placeOfList(text);
  if (place === undefined) return undefined;
  const entries = listField(body, place.name);
  const rest = parseCounted(textAround(bytes, place.start, place.end)).value;
  if (entries.length !== place.ends.length || !hasMark(rest, place.name)) return undefined;
  return { ...place, entries, rest, values: countValues(text) };
}

function parseCounted(text: string): { value: Record<string, unknown>; values: number } {
  return { values: countValues(text), value: JSON.parse(text) };
}

/** The body with the mark as its list. */
function textAround(bytes: Buffer, start: number, end: number): string {
  return `${bytes.toString("utf8", 0, start)}"${mark}"${bytes.toString("utf8", end)}`;
}

function hasMark(rest: unknown, name: string): boolean {
  const list = listField(rest, name);
  return list.length === 1 && list[0] === mark;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** How many bytes are equal at the beginning of both. */
function commonPrefix(one: Buffer, other: Buffer): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  for (let step = 64 * 1024; step >= 1; step >>= 2) {
    while (at < length) {
      const to = Math.min(at + step, length);
      if (one.compare(other, at, to, at, to) !== 0) break;
      at = to;
    }
  }
  return at;
}

/** The place of the first list that grows with a conversation, in a text with one character for each byte. */
function placeOfList(text: string): ListPlace | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const quote = endOfString(text, at + 1);
        const name = depth === 1 && quote - at < 12 ? text.slice(at + 1, quote) : "";
        at = quote;
        const [opening] = (LISTS.has(name) && /^\s*:\s*\[/.exec(text.slice(quote + 1, quote + 40))) || [];
        if (opening === undefined) break;
        const start = quote + 1 + opening.length;
        const { ends, end } = readEntries(text.slice(start));
        return { name, start, end: start + end, ends: ends.map((each) => start + each) };
      }
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth++;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
    }
  }
  return undefined;
}

/** Where the objects of a list end, and where the list does, in a text with one character for each byte that begins inside the list. */
function readEntries(text: string): { ends: number[]; end: number } {
  const ends: number[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth++;
        break;
      case CLOSE_LIST:
        if (depth-- === 0) return { ends, end: at };
        break;
      case CLOSE_OBJECT:
        if (--depth === 0) ends.push(at + 1);
        break;
    }
  }
  return { ends, end: text.length };
}
