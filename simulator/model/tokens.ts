/** A toy: about four bytes to a token, as many real ones come to in English. */
export function tokensOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 4));
}

export const IMAGE_TOKENS = 256;

/** A piece of a prompt: what it is, and what it costs to read. */
export interface PromptPiece {
  key: string;
  tokens: number;
}
