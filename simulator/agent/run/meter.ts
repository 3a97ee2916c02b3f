import type { TurnUsage } from "../../model/directives.js";
import { type PrefixCache, type PromptPiece, tokensOf } from "../../model/tokens.js";

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
