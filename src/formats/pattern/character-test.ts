/** Whether a character is in a class; given by its code. */
export type CharacterTest = (code: number) => boolean;

const TABLE_SIZE = 128;

/** Asks the language's own engine about one character at a time, and remembers what it said about ASCII. */
export function toCharacterTest(raw: string, isUnicode: boolean): CharacterTest {
  const one = new RegExp(`^(?:${raw})$`, isUnicode ? "u" : "");
  const ask = (code: number) => one.test(isUnicode ? String.fromCodePoint(code) : String.fromCharCode(code));
  const table = new Int8Array(TABLE_SIZE).fill(-1);
  return (code) => {
    if (code >= TABLE_SIZE) return ask(code);
    if (table[code] === -1) table[code] = ask(code) ? 1 : 0;
    return table[code] === 1;
  };
}
