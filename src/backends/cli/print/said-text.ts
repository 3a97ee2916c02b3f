/**
 * The text of a turn, each piece once. The CLI streams deltas and repeats them: each segment as a whole before a tool call and at
 * the end, and after a lost connection from wherever it likes. Equal deltas in a row are no repetition.
 */
export class SaidText {
  #all = "";
  /** Where the segments begin; the last is the one being said. */
  #starts = [0];
  /** What was said since the connection was lost, as long as that may be what was said before. */
  #again: string | undefined;

  /** What of a piece is new. */
  delta(text: string): string {
    if (this.#again === undefined) return this.#say(text);
    const again = this.#again + text;
    const starts = this.#starts.filter((start) => this.#isRespelt(again, start));
    const [first] = starts;
    if (first === undefined) {
      this.#again = undefined;
      return this.#say(again); // it was new after all
    }
    const left = again.length - (this.#all.length - first);
    this.#again = left < 0 ? again : undefined;
    return left > 0 ? this.#say(again.slice(-left)) : "";
  }

  /** What of a whole segment, or of the whole text so far, is new. */
  flush(text: string): string {
    if (this.#again !== undefined) {
      if (this.#all.includes(text)) return "";
      this.#again = undefined;
    }
    const segment = this.#all.slice(this.#starts.at(-1));
    let rest = "";
    if (segment !== "" && text.startsWith(this.#all)) rest = text.slice(this.#all.length);
    else if (text.startsWith(segment)) rest = text.slice(segment.length);
    this.#say(rest);
    this.#starts.push(this.#all.length);
    return rest;
  }

  /** What of the whole text of the turn has not been said. */
  complete(text: string): string {
    return text.startsWith(this.#all) ? this.#say(text.slice(this.#all.length)) : "";
  }

  /** From here on, what was said may be said again. */
  mayRepeat(): void {
    if (this.#all !== "") this.#again = "";
  }

  #say(text: string): string {
    this.#all += text;
    return text;
  }

  #isRespelt(again: string, start: number): boolean {
    if (start === this.#all.length) return false;
    return this.#all.startsWith(again, start) || again.startsWith(this.#all.slice(start));
  }
}
