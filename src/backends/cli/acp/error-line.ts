/** As the CLI writes a failure of Cursor's into its answer: the class has a minified name, the code is one of Connect's. */
const failure = /^\s*Error: \w+: \[\w+\]/;
const beginning = "Error:";
const fence = /^\s*(```|~~~)/;
/** An error message is shorter; a line that grows longer is the model's own. */
const MAX_HELD = 4_096;

/**
 * Over ACP the CLI tells some failures as the last line of an otherwise fine answer. A line that looks like one is held back
 * until more text behind it shows that it is none.
 */
export class ErrorLine {
  #line = "";
  #held = "";
  #isFenced = false;

  /** What is certainly the model's own. */
  push(delta: string): string {
    let sure = "";
    for (const piece of delta.split(/(?<=\n)/)) sure += this.#pushPiece(piece);
    return sure;
  }

  /** Something else comes behind it, so it is none. */
  disprove(): string {
    this.#line = "";
    return this.#release();
  }

  /** No more text comes. What was held back is either the failure or still to be said. */
  end(): { text: string; failure: string | undefined } {
    const held = this.#held;
    this.#held = "";
    return failure.test(held) ? { text: "", failure: held.trim() } : { text: held, failure: undefined };
  }

  /** A line or a part of one. */
  #pushPiece(piece: string): string {
    const isBlank = piece.trim() === "";
    const isNewLine = this.#line === "";
    this.#line += piece;
    let sure = "";
    if (isNewLine && this.#held !== "" && !isBlank) sure = this.#release();
    this.#held += piece;
    if (!this.#mayBeFailure(isBlank)) sure += this.#release();
    if (piece.endsWith("\n")) {
      if (fence.test(this.#line)) this.#isFenced = !this.#isFenced;
      this.#line = "";
    }
    return sure;
  }

  #mayBeFailure(isBlank: boolean): boolean {
    if (this.#isFenced || this.#held.length > MAX_HELD) return false;
    const start = this.#line.trimStart();
    if (start === "") return isBlank && failure.test(this.#held); // blank lines behind a failure
    return start.startsWith(beginning) || beginning.startsWith(start.trimEnd());
  }

  #release(): string {
    const text = this.#held;
    this.#held = "";
    return text;
  }
}
