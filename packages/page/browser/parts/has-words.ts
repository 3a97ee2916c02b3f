/** Whether a text contains every word of a search, ignoring case. */
export function hasWords(text: string, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/);
  return words.every((word) => text.toLowerCase().includes(word));
}
