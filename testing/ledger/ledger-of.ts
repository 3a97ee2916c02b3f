import type { LedgerReader, RollUp, Tokens } from "../../src/ledger/index.js";

const noTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

interface Changes extends Partial<Omit<RollUp, "tokens">> {
  readonly tokens?: Partial<Tokens>;
}

/** A roll-up with nothing in it but what the test is about. */
export function rollUp({ tokens, ...changes }: Changes): RollUp {
  return {
    startMs: 0,
    client: "",
    model: "auto",
    requests: 0,
    failures: 0,
    unadmitted: 0,
    turns: 0,
    estimatedTurns: 0,
    warm: 0,
    cold: 0,
    runs: 0,
    retries: 0,
    sentBytes: 0,
    receivedBytes: 0,
    tokens: { ...noTokens, ...tokens },
    ...changes,
  };
}

/** A ledger that has these roll-ups and not a single entry. */
export function ledgerOf(rollUps: Readonly<Partial<Record<"hour" | "day", readonly RollUp[]>>> = {}): LedgerReader {
  return {
    ready: async () => {},
    entries: () => [],
    search: () => ({ entries: [], before: null }),
    entry: () => undefined,
    detail: () => undefined,
    rollUps: (span, fromMs, toMs) =>
      (rollUps[span] ?? [])
        .filter(({ startMs }) => startMs >= fromMs && startMs < toMs)
        .toSorted((a, b) => a.startMs - b.startMs),
    thread: () => undefined,
    conduct: () => [],
    close: async () => {},
  };
}
