import { asBuffer, ID_BYTES } from "./key.js";

/** A tag, a length and an id. Nothing shorter can name a blob. */
const MIN_MESSAGE_BYTES = 2 + ID_BYTES;
const MAX_DEPTH = 24;
/** Larger blobs are pictures and files, not messages that name other blobs. */
const MAX_WALKED_BLOB_BYTES = 16 * 1024 * 1024;

/**
 * Follows every blob id that a conversation state names, directly or through blobs. It reads the wire format without a schema: any
 * field of 32 bytes may be an id, and any field that parses as a message may hold more. So fields that are newer than our schema
 * keep their blobs too. `enter` is given each candidate (as a latin1 string) and returns the blob when it is one that was not
 * followed before. Each step handles one candidate and yields the bytes that were walked, so that there can be pauses.
 */
export function* followIds(
  state: Uint8Array,
  enter: (id: string) => Uint8Array | undefined,
): Generator<number, undefined> {
  const waiting: string[] = [];
  const visit = (id: string) => void waiting.push(id);
  yield visitFields(asBuffer(state), 0, state.length, 0, visit);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const blob = enter(id);
    const isWalked = blob !== undefined && blob.length >= MIN_MESSAGE_BYTES && blob.length <= MAX_WALKED_BLOB_BYTES;
    yield isWalked ? visitFields(asBuffer(blob), 0, blob.length, 0, visit) : 0;
  }
}

/** Reads fields until one does not parse. Returns the offset at which it stopped. */
function visitFields(bytes: Buffer, start: number, end: number, depth: number, visit: (id: string) => void): number {
  let at = start;
  while (at < end) {
    const body = fieldBody(bytes, at, end);
    if (body === undefined) break;
    at = body.end;
    const length = body.end - body.start;
    if (!body.isBytes || length < ID_BYTES) continue;
    if (length === ID_BYTES) visit(bytes.toString("latin1", body.start, body.end));
    else if (length >= MIN_MESSAGE_BYTES && depth < MAX_DEPTH && isMessage(bytes, body.start, body.end)) {
      visitFields(bytes, body.start, body.end, depth + 1, visit);
    }
  }
  return at - start;
}

/** Text is recognised by the first field that does not parse, which is nearly always the first one. */
function isMessage(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end) {
    const body = fieldBody(bytes, at, end);
    if (body === undefined) return false;
    at = body.end;
  }
  return true;
}

function fieldBody(bytes: Buffer, at: number, end: number) {
  const tagEnd = varintEnd(bytes, at, end);
  if (tagEnd === undefined) return undefined;
  const tag = smallVarint(bytes, at, tagEnd);
  if (tag === undefined || tag < 8) return undefined; // there is no field 0
  switch (tag & 7) {
    case 0: {
      const valueEnd = varintEnd(bytes, tagEnd, end);
      return valueEnd === undefined ? undefined : { isBytes: false, start: tagEnd, end: valueEnd };
    }
    case 1:
      return tagEnd + 8 > end ? undefined : { isBytes: false, start: tagEnd, end: tagEnd + 8 };
    case 2: {
      const lengthEnd = varintEnd(bytes, tagEnd, end);
      if (lengthEnd === undefined) return undefined;
      const length = smallVarint(bytes, tagEnd, lengthEnd);
      if (length === undefined || lengthEnd + length > end) return undefined;
      return { isBytes: true, start: lengthEnd, end: lengthEnd + length };
    }
    case 5:
      return tagEnd + 4 > end ? undefined : { isBytes: false, start: tagEnd, end: tagEnd + 4 };
    default:
      return undefined; // no known message uses groups
  }
}

function varintEnd(bytes: Buffer, at: number, end: number): number | undefined {
  const last = Math.min(end, at + 10);
  for (let index = at; index < last; index++) {
    if ((bytes[index] ?? 0) < 0x80) return index + 1;
  }
  return undefined;
}

/** Tags and lengths fit into 32 bits. */
function smallVarint(bytes: Buffer, start: number, end: number): number | undefined {
  if (end - start > 5) return undefined;
  let value = 0;
  for (let index = end - 1; index >= start; index--) value = value * 128 + ((bytes[index] ?? 0) & 0x7f);
  return value > 0xffff_ffff ? undefined : value;
}
