/** Letters that make no words. */
const CONSONANTS = "bcdfghjklmnpqrstvwxz";
const ESCAPED = '\n"\\\t\r';
const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("");

/** Texts of given lengths that differ from each other and from everything that is shown. */
export class FillTexts {
  readonly #taken = new Set<string>();
  /** No shown word consists of this letter alone. */
  readonly #letter: string;
  readonly #counts = new Map<number, number>();

  constructor(shown: Iterable<string>) {
    for (const text of shown) {
      this.#taken.add(text);
      for (const word of text.split(/[^\p{L}\p{N}_]+/u)) this.#taken.add(word.toLowerCase());
    }
    const isFree = (letter: string) =>
      ![...this.#taken].some((word) => word !== "" && word.replaceAll(letter, "") === "");
    this.#letter = [...CONSONANTS].find(isFree) ?? "b";
  }

  /** Always the same text of this length. A shorter one is a prefix of a longer one. */
  same(bytes: number, escapes = 0): Buffer {
    return Buffer.from(withEscapes(this.#letter.repeat(Math.max(0, bytes - escapes)), bytes, 0));
  }

  /** `escapes` is how many characters JSON escapes add to the text. */
  next(bytes: number, escapes = 0): Buffer {
    const letters = Math.max(0, bytes - escapes);
    let count = this.#counts.get(letters) ?? 0;
    let text = textOf(count, letters);
    while (letters > 0 && text !== undefined && this.#taken.has(text)) text = textOf(++count, letters);
    this.#counts.set(letters, count + 1);
    return Buffer.from(withEscapes(text ?? CONSONANTS.charAt(0).repeat(letters), bytes, count));
  }
}

/** Fills up with characters that need one more in JSON, behind the first letter, because some programs trim texts. */
function withEscapes(text: string, length: number, count: number): string {
  const more = ESCAPED.charAt(count % ESCAPED.length).repeat(length - text.length);
  return `${text.slice(0, 1)}${more}${text.slice(1)}`;
}

/** The text of this number; undefined when there are no more of this length. */
function textOf(number: number, length: number): string | undefined {
  const few = CONSONANTS.length ** length;
  if (number < few) return inLetters(number, length, CONSONANTS);
  return number - few < ASCII.length ** length ? inLetters(number - few, length, ASCII) : undefined;
}

function inLetters(number: number, length: number, letters: string): string {
  let text = "";
  for (let rest = number; rest > 0 && text.length < length; rest = Math.floor(rest / letters.length))
    text = letters.charAt(rest % letters.length) + text;
  return text.padStart(length, letters.charAt(0));
}
