import { createHash } from "node:crypto";

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

/** Which beginnings of prompts were read before. One per simulator, as a provider's cache is one for all conversations. */
export class PrefixCache {
  readonly #seen = new Set<string>();
  readonly #maxPrefixes: number;

  constructor(maxPrefixes = 200_000) {
    this.#maxPrefixes = maxPrefixes;
  }

  /** Tokens in the longest beginning that was read before; the whole prompt counts as read from now on. */
  read(prompt: readonly PromptPiece[]): number {
    let prefix = "";
    let cached = 0;
    let isKnown = true;
    for (const { key, tokens } of prompt) {
      prefix = createHash("sha256").update(prefix).update("\n").update(key).digest("base64");
      isKnown &&= this.#seen.has(prefix);
      if (isKnown) cached += tokens;
      else this.#seen.add(prefix);
    }
    for (const oldest of this.#seen) {
      if (this.#seen.size <= this.#maxPrefixes) break;
      this.#seen.delete(oldest);
    }
    return cached;
  }
}
