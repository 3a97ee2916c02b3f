import { Listeners } from "../../api/listeners.js";
import { FenceSplitter, type Piece } from "./fences.js";
import { visibleText } from "./visible-text.js";

export interface Section {
  readonly kind: "prose" | "code";
  /** The language named by the fence. */
  readonly language: string;
  /** Only the last one grows. */
  readonly blocks: string[];
}

/** A block ends at the first line break, word break or character after these lengths. */
const BLOCK_CHARS = { line: 1_500, word: 2_500, any: 3_000 };

/** A growing text, whole and in blocks of a few thousand characters, laid out separately. Only the last block changes. */
export class GrowingText extends Listeners {
  readonly sections: Section[] = [];
  readonly #splitter = new FenceSplitter();
  #whole = "";
  /** Held back until it is known whether a line feed follows. */
  #carriageReturn = "";

  get whole(): string {
    return this.#whole;
  }

  push(delta: string): void {
    if (delta === "") return;
    this.#whole += delta;
    const text = (this.#carriageReturn + delta).replaceAll("\r\n", "\n");
    this.#carriageReturn = text.endsWith("\r") ? "\r" : "";
    this.#take(this.#splitter.push(visibleText(this.#carriageReturn === "" ? text : text.slice(0, -1))));
  }

  end(): void {
    this.#take([...this.#splitter.push(visibleText(this.#carriageReturn)), ...this.#splitter.end()]);
    this.#carriageReturn = "";
  }

  #take(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (piece.type === "open") this.sections.push({ kind: "code", language: piece.language, blocks: [] });
      else if (piece.type === "close") this.sections.push({ kind: "prose", language: "", blocks: [] });
      else this.#add(piece.text);
    }
    if (pieces.length > 0) this.tell();
  }

  #add(text: string): void {
    if (this.sections.length === 0) this.sections.push({ kind: "prose", language: "", blocks: [] });
    const blocks = this.sections.at(-1)?.blocks ?? [];
    for (let from = 0; from < text.length; ) {
      const open = blocks.pop() ?? "";
      const end = blockEnd(text, from, open.length);
      blocks.push(open + text.slice(from, end ?? text.length));
      if (end !== undefined) blocks.push("");
      from = end ?? text.length;
    }
  }
}

/** Where a block that already has `chars` characters ends in this text; undefined if it does not. */
function blockEnd(text: string, from: number, chars: number): number | undefined {
  const start = from - chars;
  const any = start + BLOCK_CHARS.any;
  const line = text.indexOf("\n", Math.max(from, start + BLOCK_CHARS.line));
  if (line !== -1 && line < any) return line + 1;
  const word = text.indexOf(" ", Math.max(from, start + BLOCK_CHARS.word));
  if (word !== -1 && word < any) return word + 1;
  if (any >= text.length) return undefined;
  // Do not split a surrogate pair.
  return isHighSurrogate(text.charCodeAt(any - 1)) ? any + 1 : Math.max(any, from + 1);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
