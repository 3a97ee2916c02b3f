/** Pieces that end behind the first byte of each character that has several. */
export function splitCharacters(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  const cuts = [...bytes.keys()].filter((at) => (bytes[at - 1] ?? 0) >= 0xc0);
  return [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
}
