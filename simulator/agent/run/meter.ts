import { createHash } from "node:crypto";
import type { TurnUsage } from "../../model/directives.js";
import { type PromptPiece, tokensOf } from "../../model/tokens.js";

/** What one turn costs, over all its model calls. Input includes what was read from the cache, output the reasoning. */
export class Meter {
  readonly #cache: PrefixCache;
  #usage: TurnUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  #contextTokens = 0;

  constructor(cache: PrefixCache) {
    this.#cache = cache;
  }

  get usage(): TurnUsage {
    return { ...this.#usage };
  }

  /** How full the context is after the last model call. */
  get contextTokens(): number {
    return this.#contextTokens;
  }

  /** A model call reads its prompt; the result is what this call alone has cost. */
  read(prompt: readonly PromptPiece[]): { input: number; cacheRead: number } {
    const input = prompt.reduce((sum, { tokens }) => sum + tokens, 0);
    const cacheRead = this.#cache.read(prompt);
    this.#usage.input += input;
    this.#usage.cacheRead += cacheRead;
    this.#usage.cacheWrite += input - cacheRead;
    this.#contextTokens = input;
    return { input, cacheRead };
  }

  /** The model has written something. */
  write(bytes: number, isReasoning: boolean): void {
    if (bytes === 0) return;
    const tokens = tokensOf(bytes);
    this.#usage.output += tokens;
    this.#contextTokens += tokens;
    if (isReasoning) this.#usage.reasoning += tokens;
  }
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
