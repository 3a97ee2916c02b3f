/** Whether the text has the word on its own, not as a part of a longer word or name. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? " "}${text[at + word.length] ?? " "}`;
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
}
