import { fitsWildcard } from "../turn/fits-wildcard.js";

/** The most names that one list of patterns may stand for. */
export const MAX_NAMES = 5_000;

/** One pattern: `*` stands for any text, `{a,b}` for one of these texts, which may be empty. There are no braces in braces. */
export const NAME_PATTERN: RegExp = /^(?:[a-z0-9.*_-]|\{[a-z0-9.*_,-]*\})+$/;

/**
 * Names of models by patterns such as `gpt-5{,.1}{,-mini}` and `*fable*`. They are no regular expressions: an owner writes them by
 * hand, names come from clients, and so the time must be linear whatever stands in either.
 */
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

  /** Only when the first name is asked about: most starts never ask about a vendor's names. */
  #expand(): ReadonlySet<string> {
    const all = this.#patterns.flatMap(expand);
    this.#wildcards = all.filter((name) => name.includes("*"));
    return new Set(all);
  }
}

export function countNames(patterns: readonly string[]): number {
  return patterns.reduce((sum, pattern) => sum + countOf(pattern), 0);
}

/** The fixed texts and the alternatives of a pattern, in turn. */
function partsOf(pattern: string): string[][] {
  return pattern.split(/[{}]/).map((part, at) => (at % 2 === 0 ? [part] : part.split(",")));
}

function countOf(pattern: string): number {
  return partsOf(pattern).reduce((count, choices) => count * choices.length, 1);
}

function expand(pattern: string): string[] {
  return partsOf(pattern).reduce<string[]>(
    (names, choices) => names.flatMap((name) => choices.map((choice) => name + choice)),
    [""],
  );
}
