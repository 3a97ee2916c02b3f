/** A toy tokenizer: about four bytes per token, like many real ones in English. */
export function tokensOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 4));
}

export const IMAGE_TOKENS = 256;

/** A piece of a prompt: its identity, and its cost in tokens. */
export interface PromptPiece {
  key: string;
  tokens: number;
}
