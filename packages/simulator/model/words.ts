/** Splits a text into pieces the size of a word; joined they are the text. */
export function inWords(text: string): string[] {
  return text === "" ? [] : (text.match(/^\s*\S*\s*|\S+\s*/g) ?? []);
}

/** The deltas of `[[stream N]]`: they count from 1, so that a reader can see what is missing. */
export function* counting(count: number): Generator<string> {
  for (let number = 1; number <= count; number += 1) yield `${number} `;
}
