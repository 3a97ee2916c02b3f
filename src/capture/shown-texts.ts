/** A part of a text, and whether it may be in a capture as it is. */
export interface Segment {
  readonly text: string;
  readonly isShown: boolean;
}

export interface ShownLists {
  /** Texts that are shown where they stand alone. */
  readonly texts?: Iterable<string>;
  /** Texts whose words are shown wherever they stand. */
  readonly prompts?: Iterable<string>;
}

const WORDS = /[\p{L}\p{N}_]+|[^\p{L}\p{N}_]+/gu;
const IS_WORD = /^[\p{L}\p{N}_]/u;
/** Single letters say nothing, and the fill of a replay may happen to be one. */
const MIN_WORD_CHARS = 2;

/**
 * The closed lists of what a capture may show. A text with a listed word shows its listed words and what stands between words; any
 * other text shows nothing.
 */
export class ShownTexts {
  readonly #texts: ReadonlySet<string>;
  readonly #words = new Set<string>();

  constructor({ texts = [], prompts = [] }: ShownLists) {
    this.#texts = new Set(texts);
    for (const prompt of prompts) {
      for (const word of prompt.match(WORDS) ?? []) {
        if (IS_WORD.test(word) && word.length >= MIN_WORD_CHARS) this.#words.add(word.toLowerCase());
      }
    }
  }

  isShown(text: string): boolean {
    return this.#texts.has(text);
  }

  segments(text: string): Segment[] {
    return this.segmentsOfAll([text])[0] ?? [];
  }

  /** The same for texts that continue each other, such as the deltas of an answer: a word may reach over several. */
  segmentsOfAll(texts: readonly string[]): Segment[][] {
    const parts = texts.join("").match(WORDS) ?? [];
    const isListed = (part: string) => this.#words.has(part.toLowerCase());
    if (!parts.some(isListed)) return texts.map((text) => (text === "" ? [] : [{ text, isShown: false }]));
    const segments = parts.map((text) => ({ text, isShown: !IS_WORD.test(text) || isListed(text) }));
    return splitAt(
      segments,
      texts.map(({ length }) => length),
    );
  }
}

/** Cuts a row of segments into rows of these lengths. Neighbours of one kind become one segment. */
function splitAt(segments: readonly Segment[], lengths: readonly number[]): Segment[][] {
  let at = 0;
  let offset = 0;
  return lengths.map((length) => {
    const row: Segment[] = [];
    let left = length;
    while (left > 0) {
      const segment = segments[at];
      if (segment === undefined) break;
      const text = segment.text.slice(offset, offset + left);
      const last = row.at(-1);
      if (last?.isShown === true && segment.isShown) row[row.length - 1] = { text: last.text + text, isShown: true };
      else row.push({ text, isShown: segment.isShown });
      left -= text.length;
      offset += text.length;
      if (offset === segment.text.length) {
        at += 1;
        offset = 0;
      }
    }
    return row;
  });
}
