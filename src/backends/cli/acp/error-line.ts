/**
 * How the CLI writes a failure into its answer: the class has a minified name, and the code is one of Connect's
 * (docs/protocol/wire.md, command line).
 */
const FAILURE = /^\s*Error: (\w+: \[\w+\]|ActionRequiredError: )/;
const BEGINNING = "Error:";
const FENCE = /^\s*(```|~~~)/;
/** Error messages are shorter than this; a longer line is the model's own. */
const MAX_HELD = 4_096;
/** The part of a line that is examined: a line may have megabytes and come word by word. */
const LOOKED_AT = 200;

/**
 * Over ACP the CLI reports some failures as the last line of an otherwise good answer. A line that looks like one is held back,
 * with the line ends before it, until more text shows that it is not a failure.
 */
export class ErrorLine {
  #line = "";
  #held = "";
  #isFenced = false;

  /** Returns the text that is certainly the model's own. */
  push(delta: string): string {
    let sure = "";
    for (const piece of delta.split(/(?<=\n)/)) sure += this.#pushPiece(piece);
    return sure;
  }

  /** Called when something else follows the text, so the held line is not a failure. Returns it. */
  disprove(): string {
    this.#line = "";
    return this.#release();
  }

  /** Called when no more text comes. The held text is either the failure or still part of the answer. */
  end(): { text: string; failure: string | undefined } {
    const held = this.#held;
    this.#held = "";
    return FAILURE.test(held) ? { text: "", failure: held.trim() } : { text: held, failure: undefined };
  }

  /** Takes a line or a part of one. */
  #pushPiece(piece: string): string {
    const isMore = this.#line === "" && piece.trim() !== "" && FAILURE.test(this.#held);
    const sure = isMore ? this.#release() : "";
    const isWhole = piece.endsWith("\n");
    if (this.#line.length < LOOKED_AT) this.#line += piece.slice(0, LOOKED_AT);
    this.#held += piece;
    const said = this.#isPlain(isWhole) ? this.#releaseLine() : "";
    if (isWhole) {
      if (FENCE.test(this.#line)) this.#isFenced = !this.#isFenced;
      this.#line = "";
    }
    return sure + said;
  }

  /** Whether the line is certainly the model's own. */
  #isPlain(isWhole: boolean): boolean {
    if (this.#isFenced || this.#held.length > MAX_HELD) return true;
    const start = this.#line.trimStart();
    if (start === "") return false;
    if (isWhole) return !FAILURE.test(start);
    return !start.startsWith(BEGINNING) && !BEGINNING.startsWith(start.trimEnd());
  }

  /** The end of the line stays held, because a failure may follow. */
  #releaseLine(): string {
    const text = this.#release();
    const at = text.trimEnd().length;
    // More blank lines than precede a failure are the model's own. Holding them would examine them again with each further line.
    if (!text.includes("\n", at) || text.length - at > MAX_HELD) return text;
    this.#held = text.slice(at);
    return text.slice(0, at);
  }

  #release(): string {
    const text = this.#held;
    this.#held = "";
    return text;
  }
}
