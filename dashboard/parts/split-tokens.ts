interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly reasoning: number;
}

interface TokenParts {
  readonly cached: number;
  readonly fresh: number;
  readonly reasoning: number;
  readonly said: number;
}

/** Counts each token once: input includes what was cached, and output the reasoning. */
export function splitTokens({ input, output, cacheRead, reasoning }: Tokens): TokenParts {
  const cached = Math.min(cacheRead, input);
  const reasoned = Math.min(reasoning, output);
  return { cached, fresh: input - cached, reasoning: reasoned, said: output - reasoned };
}
