import { fitsWildcard } from "../../turn/fits-wildcard.js";

export const MAX_NAMES = 5_000;

/** One pattern: `*` stands for any text, `{a,b}` for one of these texts, which may be empty. Braces do not nest. */
export const NAME_PATTERN: RegExp = /^(?:[a-z0-9.*_-]|\{[a-z0-9.*_,-]*\})+$/;

/** Names by patterns such as `gpt-5{,.1}` and `*fable*`. Owners write these and clients send names, so matching must take linear time. */
export class NamePatterns {
  readonly #patterns: readonly string[];
  #names: ReadonlySet<string> | undefined;
  #wildcards: readonly string[] = [];

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
  }

  /** @param name in lower case */
  fits(name: string): boolean {
    this.#names ??= this.#expand();
    return this.#names.has(name) || this.#wildcards.some((wildcard) => fitsWildcard(name, wildcard));
  }

  /** Lazy: most starts never ask about a vendor's names. */
  #expand(): ReadonlySet<string> {
    const all = this.#patterns.flatMap((pattern) =>
      partsOf(pattern).reduce<string[]>(
        (names, texts) => names.flatMap((name) => texts.map((text) => name + text)),
        [""],
      ),
    );
    this.#wildcards = all.filter((name) => name.includes("*"));
    return new Set(all);
  }
}

export function countNames(patterns: readonly string[]): number {
  return patterns.reduce((sum, pattern) => sum + partsOf(pattern).reduce((count, { length }) => count * length, 1), 0);
}

/** The fixed texts and the alternatives of a pattern, in turn. */
function partsOf(pattern: string): string[][] {
  return pattern.split(/[{}]/).map((part, at) => (at % 2 === 0 ? [part] : part.split(",")));
}
