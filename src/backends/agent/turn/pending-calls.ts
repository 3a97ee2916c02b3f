/** Separates words inside quotes, and at the escapes that JSON uses for line breaks. */
const SEPARATORS = /[\s"\\,{}[\]]+/;

/**
 * The calls that a checkpoint waits for. Cursor sends each as a text with the call's id in it as a separate word. The texts are
 * split into words once, so that any number of ids can be looked up.
 */
export class PendingCalls {
  readonly #texts: readonly string[];
  #words: ReadonlySet<string> | undefined;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  has(upstreamId: string): boolean {
    if (this.#texts.length === 0) return false;
    this.#words ??= wordsOf(this.#texts);
    // An id with a line break in it is more than one word.
    for (const word of JSON.stringify(upstreamId).split(SEPARATORS)) if (!this.#words.has(word)) return false;
    return true;
  }
}

function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  const words = new Set([""]);
  for (const text of texts) for (const word of text.split(SEPARATORS)) words.add(word);
  return words;
}
