import { createHash } from "node:crypto";
import type { TurnUsage } from "../../model/directives.js";
import { type PromptPiece, tokensOf } from "../../model/tokens.js";

/**
 * The cost of one turn over all its model calls. Input includes cache reads, output includes reasoning
 * (docs/protocol/live-behaviour.md).
 */
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

  /** The size of the context after the last model call. */
  get contextTokens(): number {
    return this.#contextTokens;
  }

  /** Counts the prompt of a model call, and returns the cost of this call alone. */
  read(prompt: readonly PromptPiece[]): { input: number; cacheRead: number } {
    const input = prompt.reduce((sum, { tokens }) => sum + tokens, 0);
    const cacheRead = this.#cache.read(prompt);
    this.#usage.input += input;
    this.#usage.cacheRead += cacheRead;
    this.#usage.cacheWrite += input - cacheRead;
    this.#contextTokens = input;
    return { input, cacheRead };
  }

  /** Counts output of the model. */
  write(bytes: number, isReasoning: boolean): void {
    if (bytes === 0) return;
    const tokens = tokensOf(bytes);
    this.#usage.output += tokens;
    this.#contextTokens += tokens;
    if (isReasoning) this.#usage.reasoning += tokens;
  }
}

/** The prompt prefixes that were read before. A simulator has one, as a provider has one cache for all conversations. */
export class PrefixCache {
  readonly #seen = new Set<string>();
  readonly #maxPrefixes: number;

  constructor(maxPrefixes = 200_000) {
    this.#maxPrefixes = maxPrefixes;
  }

  /** The tokens in the longest prefix that was read before. The whole prompt counts as read from now on. */
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
