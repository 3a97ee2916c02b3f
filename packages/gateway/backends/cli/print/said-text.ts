/** The CLI repeats what it streamed: whole segments, and after a lost connection any earlier text. Equal deltas in a row are new text. */
export class SaidText {
  #all = "";
  /** The offsets at which the segments begin; the last segment is the current one. */
  #starts = [0];
  /** The text since the connection was lost, while it may still be a repetition. */
  #again: string | undefined;

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

  /** Returns the new part of a whole segment, or of the whole text so far. */
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

  complete(text: string): string {
    return text.startsWith(this.#all) ? this.#say(text.slice(this.#all.length)) : "";
  }

  /** Called after a lost connection: from here on earlier text may come again. */
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
