import { hash, randomUUID } from "node:crypto";
import type { Cut, Gap, Id, Node, Piece } from "@curlew/wire/messages/capture-format.js";
import type { RawNode } from "@curlew/wire/messages/message-node.js";
import { FillTexts } from "./fill-texts.js";

/**
 * Rebuilds messages from a capture. Cut content becomes other content of the same length, and equal numbers equal content; ids
 * and texts from the client are the client's own. What a client derives from the server's texts has other bytes than in the
 * recording, and so other ids.
 */
export class Filler {
  readonly #bytes = new Map<string, Buffer>();
  readonly #numbers = new Map<string, bigint | number>();
  readonly #texts: FillTexts;

  /** `shown` is everything that the capture shows, which no fill may resemble. */
  constructor(shown: Iterable<string>) {
    this.#texts = new FillTexts(shown);
  }

  /**
   * Learns from a client message what the numbers of the recorded one stand for. The newest message wins: the client may derive
   * content that was the same as the server's.
   */
  bind(recorded: Node, actual: RawNode): void {
    switch (recorded.kind) {
      case "message":
      case "list":
      case "base64":
        if ("fields" in actual) this.#bindFields(recorded.fields, actual.fields);
        break;
      case "text":
      case "data":
        if ("bytes" in actual) this.bindPieces(recorded.pieces, actual.bytes);
        break;
      case "number":
        if (typeof recorded.number !== "number" && actual.kind === "number")
          this.#numbers.set(recorded.number.cut, actual.value);
        break;
      case "fixed":
        if (typeof recorded.hex !== "string" && "bytes" in actual) this.#bytes.set(recorded.hex.cut, actual.bytes);
        break;
      case "choice":
      case "flag":
        break;
    }
  }

  bindPieces(pieces: readonly Piece[], actual: Buffer): void {
    const lengths = pieces.map((piece) => lengthOf([piece]));
    const isAlike = lengthOf(pieces) === actual.length;
    if (!isAlike && pieces.length > 1) return;
    let at = 0;
    for (const [index, piece] of pieces.entries()) {
      const end = isAlike ? at + (lengths[index] ?? 0) : actual.length;
      const key = typeof piece === "string" ? undefined : keyOf(piece);
      if (key !== undefined) this.#bytes.set(key, Buffer.from(actual.subarray(at, end)));
      at = end;
    }
  }

  fill(node: Node): RawNode {
    const { no, name } = node;
    const label = { no, name };
    switch (node.kind) {
      case "message":
      case "list":
        return { ...label, kind: node.kind, fields: node.fields.map((field) => this.#fillIn(field, node.fields)) };
      case "base64":
        return { ...label, kind: "base64", type: node.type, fields: node.fields.map((field) => this.fill(field)) };
      case "text":
      case "data":
        return { ...label, kind: node.kind, bytes: this.fillPieces(node.pieces) };
      case "number":
        return { ...label, kind: "number", value: this.#number(node.number, node.no !== undefined) };
      case "choice":
        return { ...label, kind: "choice", value: BigInt(node.number) };
      case "fixed":
        return {
          ...label,
          kind: "fixed",
          bytes: typeof node.hex === "string" ? Buffer.from(node.hex, "hex") : this.#of(node.hex),
        };
      case "flag":
        return { ...label, kind: "flag", flag: node.flag };
    }
  }

  /** An id next to the content that it hashes is computed from that content, whatever ids the client uses. */
  #fillIn(node: Node, siblings: readonly Node[]): RawNode {
    const [id] = "pieces" in node ? node.pieces : [];
    const hashed = typeof id === "object" && "id" in id ? id.hashOf : undefined;
    const content = siblings.find(
      (sibling) => sibling !== node && sibling.kind === "data" && lengthOf(sibling.pieces) === hashed?.bytes,
    );
    if (hashed === undefined || content?.kind !== "data") return this.fill(node);
    const bytes = hash("sha256", this.fillPieces(content.pieces), "buffer");
    if (typeof id === "object") this.#bytes.set(keyOf(id) ?? "", bytes);
    return { no: node.no, name: node.name, kind: "data", bytes };
  }

  fillPieces(pieces: readonly Piece[]): Buffer {
    return Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : this.#of(piece))));
  }

  #bindFields(recorded: readonly Node[], actual: readonly RawNode[]): void {
    let at = 0;
    for (const node of recorded) {
      const found = actual.findIndex((other, index) => index >= at && other.no === node.no && other.name === node.name);
      const other = actual[found];
      if (other === undefined) continue;
      at = found + 1;
      this.bind(node, other);
    }
  }

  #of(piece: Cut | Id | Gap): Buffer {
    const key = keyOf(piece);
    if (key === undefined) return this.#texts.same(piece.bytes, escapesOf(piece));
    const known = this.#bytes.get(key);
    if (known !== undefined) return known;
    const made = "id" in piece ? this.#newId(piece) : this.#texts.next(piece.bytes, escapesOf(piece));
    this.#bytes.set(key, made);
    return made;
  }

  #newId({ bytes, hashOf }: Id): Buffer {
    if (hashOf !== undefined) return hash("sha256", this.#of(hashOf), "buffer");
    const unique = randomUUID();
    return Buffer.from(unique.repeat(Math.ceil(bytes / unique.length)).slice(0, bytes));
  }

  #number(number: number | Cut, isVarint: boolean): bigint | number {
    if (typeof number === "number") return isVarint ? BigInt(number) : number;
    const known = this.#numbers.get(number.cut) ?? newNumber(number.bytes, this.#numbers.size, isVarint);
    this.#numbers.set(number.cut, known);
    return known;
  }
}

/** How many bytes the pieces stand for. */
export function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + (typeof piece === "string" ? Buffer.byteLength(piece) : piece.bytes), 0);
}

function escapesOf(piece: Cut | Id | Gap): number {
  return "escapes" in piece ? (piece.escapes ?? 0) : 0;
}

/** Gaps have none: nothing is known of them but their length. */
function keyOf(piece: Cut | Id | Gap): string | undefined {
  return "id" in piece ? piece.id : "cut" in piece ? piece.cut : undefined;
}

/** A number of the same length, and never one that a capture would show. */
function newNumber(bytes: number, count: number, isVarint: boolean): bigint | number {
  if (!isVarint) return 10 ** Math.min(15, bytes - 1) + (count % 9);
  const least = bytes === 1 ? 1n : bytes === 3 ? 1_000_000n : 1n << BigInt(7 * (bytes - 1));
  return least + BigInt(count % 100);
}
