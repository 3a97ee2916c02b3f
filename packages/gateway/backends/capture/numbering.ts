import { hash } from "node:crypto";
import type { Cut, Gap, Id, Piece } from "@curlew/wire/messages/capture-format.js";

/** The length of a SHA-256. */
export const HASH_BYTES = 32;

/** Ids that no ordinary text contains by accident. */
const UNMISTAKABLE = /[0-9a-f]{8}/i;
const START_CHARS = 6;

/** The same number for the same content. Hashes of short texts could be reversed by brute force. */
export class Numbering {
  readonly #known = new Map<string, Buffer>();
  /** The first four bytes of each id that is a hash, as a cheap filter for searches. */
  readonly #hashStarts = new Set<number>();
  /** The lengths of the ids that may stand in a text, longest first, by their first characters. */
  readonly #textIds = new Map<string, readonly number[]>();
  readonly #contents = new Map<string, Buffer>();
  readonly #ids = new Map<string, number>();
  readonly #cuts = new Map<string, number>();

  /** All ids must be noted before the first text is split. */
  noteId(bytes: Buffer): void {
    this.#known.set(keyOf(bytes), bytes);
    this.#noteText(bytes.toString("utf8"));
    if (bytes.length === HASH_BYTES) this.#hashStarts.add(bytes.readUInt32LE());
  }

  noteContent(bytes: Buffer): void {
    this.#contents.set(hash("sha256", bytes, "base64"), bytes);
  }

  id(bytes: Buffer): Id {
    const id = `id-${numberOf(this.#ids, keyOf(bytes))}`;
    const content = this.#contents.get(bytes.toString("base64"));
    return { id, bytes: bytes.length, ...(content !== undefined && { hashOf: this.cut(content) }) };
  }

  cut(bytes: Buffer): Cut {
    return { cut: `cut-${numberOf(this.#cuts, keyOf(bytes))}`, bytes: bytes.length };
  }

  cutText(text: string): Cut {
    const { cut } = this.cut(Buffer.from(text));
    return { cut, ...gapFor(text) };
  }

  /** `bytes` is the length of the number on the wire. */
  number(value: bigint | number): Cut {
    const cut = `cut-${numberOf(this.#cuts, `number ${value}`)}`;
    return { cut, bytes: typeof value === "bigint" ? varintBytes(value) : String(value).length };
  }

  /** Finds the ids of content inside other content: what refers to it is stored in the same way. */
  splitData(bytes: Buffer): Piece[] {
    const pieces: Piece[] = [];
    let cutFrom = 0;
    for (let at = 0; at + HASH_BYTES <= bytes.length; at++) {
      const found = bytes.subarray(at, at + HASH_BYTES);
      if (!this.#hashStarts.has(bytes.readUInt32LE(at)) || !this.#known.has(keyOf(found))) continue;
      if (at > cutFrom) pieces.push({ bytes: at - cutFrom });
      pieces.push(this.id(found));
      cutFrom = at + HASH_BYTES;
      at = cutFrom - 1;
    }
    if (pieces.length === 0) return [this.cut(bytes)];
    return cutFrom < bytes.length ? [...pieces, { bytes: bytes.length - cutFrom }] : pieces;
  }

  splitByIds(text: string): (string | Id)[] {
    if (!UNMISTAKABLE.test(text)) return [text];
    const parts: (string | Id)[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const found = this.#idAt(text, at);
      if (found === undefined) continue;
      if (at > from) parts.push(text.slice(from, at));
      parts.push(this.id(Buffer.from(found)));
      from = at + found.length;
      at = from - 1;
    }
    return from < text.length ? [...parts, text.slice(from)] : parts;
  }

  #idAt(text: string, at: number): string | undefined {
    const lengths = this.#textIds.get(text.slice(at, at + START_CHARS)) ?? [];
    return lengths
      .map((length) => text.slice(at, at + length))
      .find((candidate) => this.#known.has(keyOf(Buffer.from(candidate))));
  }

  #noteText(text: string): void {
    if (!UNMISTAKABLE.test(text)) return;
    const start = text.slice(0, START_CHARS);
    const lengths = new Set([...(this.#textIds.get(start) ?? []), text.length]);
    const longestFirst = [...lengths].toSorted((one, other) => other - one);
    this.#textIds.set(start, longestFirst);
  }
}

/** The replacement for a text that is left out. */
export function gapFor(text: string): Gap {
  const bytes = Buffer.byteLength(text);
  const escapes = Buffer.byteLength(JSON.stringify(text)) - 2 - bytes;
  return escapes > 0 ? { bytes, escapes } : { bytes };
}

function numberOf(numbers: Map<string, number>, key: string): number {
  const number = numbers.get(key) ?? numbers.size + 1;
  numbers.set(key, number);
  return number;
}

function keyOf(bytes: Buffer): string {
  return bytes.toString("latin1");
}

function varintBytes(value: bigint): number {
  let bytes = 1;
  for (let rest = BigInt.asUintN(64, value) >> 7n; rest > 0n; rest >>= 7n) bytes += 1;
  return bytes;
}
