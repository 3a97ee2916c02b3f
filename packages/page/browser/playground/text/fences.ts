export type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "open"; readonly language: string }
  | { readonly type: "close" };

/** More code blocks than any answer needs. Further ones are left as text. */
const MAX_OPENED = 200;
/** Longer lines are not fences, which bounds the text held back. */
const MAX_LINE_CHARS = 80;
const FENCE = /^ {0,8}(`{3,20})([^`]*)$/;
const MAY_BECOME_FENCE = /^ {0,8}(?:`{0,2}|`{3,20}[^`]*)$/;

/** Finds code blocks in streamed text: lines that start with three backticks open and close them. */
export class FenceSplitter {
  /** The start of a line that may become a fence. */
  #held = "";
  #isAtLineStart = true;
  /** Number of backticks that opened the code block, needed to close it. 0 outside. */
  #ticks = 0;
  #opened = 0;

  push(delta: string): Piece[] {
    const pieces: Piece[] = [];
    const text = this.#held + delta;
    this.#held = "";
    let from = 0;
    for (let at = 0, end = 0; at < text.length; at = end + 1) {
      const newLine = text.indexOf("\n", at);
      end = newLine === -1 ? text.length : newLine;
      if (this.#isAtLineStart && mayBeFence(text, at, end)) {
        const line = text.slice(at, end);
        if (newLine === -1) {
          this.#held = line;
          break;
        }
        const fence = this.#takeFence(line);
        if (fence !== undefined) {
          if (at > from) pieces.push({ type: "text", text: text.slice(from, at) });
          pieces.push(fence);
          from = end + 1;
        }
      }
      this.#isAtLineStart = newLine !== -1;
    }
    const to = text.length - this.#held.length;
    if (to > from) pieces.push({ type: "text", text: text.slice(from, to) });
    return pieces;
  }

  end(): Piece[] {
    const line = this.#held;
    this.#held = "";
    return line === "" ? [] : [this.#takeFence(line) ?? { type: "text", text: line }];
  }

  /** Undefined if the line only looks like a fence. */
  #takeFence(line: string): Piece | undefined {
    const [, ticks = "", words = ""] = FENCE.exec(line) ?? [];
    if (ticks === "") return undefined;
    if (this.#ticks === 0) {
      if (this.#opened === MAX_OPENED) return undefined;
      this.#opened++;
      this.#ticks = ticks.length;
      return { type: "open", language: words.trim() };
    }
    if (ticks.length < this.#ticks || words.trim() !== "") return undefined;
    this.#ticks = 0;
    return { type: "close" };
  }
}

/** The first character rules out most lines. */
function mayBeFence(text: string, at: number, end: number): boolean {
  const first = text[at];
  return (first === "`" || first === " ") && end - at <= MAX_LINE_CHARS && MAY_BECOME_FENCE.test(text.slice(at, end));
}
