/** Enough cuts to test a reader; each one costs time. */
const MAX_CUTS = 50;

/** Pieces that end after the first byte of a multi-byte character. */
export function splitCharacters(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  const cuts: number[] = [];
  for (let at = 1; at < bytes.length && cuts.length < MAX_CUTS; at += 1) {
    if ((bytes[at - 1] ?? 0) >= 0xc0) cuts.push(at);
  }
  return [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
}
