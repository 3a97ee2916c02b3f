import { Counters, type LedgerReader, type RollUp, type Tokens } from "../../packages/meter/ledger/entry.js";
import { MemoryReader } from "./memory-reader.js";

interface Changes extends Partial<Omit<RollUp, "tokens">> {
  readonly tokens?: Partial<Tokens>;
}

/** A roll-up that is empty but for these changes. */
export function rollUp({ tokens, ...changes }: Changes): RollUp {
  const counters = new Counters();
  const names = { client: "", isNamedKey: false, model: "auto", account: "" };
  return { startMs: 0, ...names, ...counters, tokens: { ...counters.tokens, ...tokens }, ...changes };
}

/** A ledger that has these roll-ups and no entries. */
export function ledgerOf(rollUps: Readonly<Partial<Record<"hour" | "day", readonly RollUp[]>>> = {}): LedgerReader {
  return {
    ready: async () => {},
    entries: () => [],
    search: (search) => new MemoryReader().search(search),
    detail: () => undefined,
    rollUps: (span, fromMs, toMs) =>
      (rollUps[span] ?? [])
        .filter(({ startMs }) => startMs >= fromMs && startMs < toMs)
        .toSorted((a, b) => a.startMs - b.startMs),
    dearest: () => [],
    thread: () => undefined,
    conduct: () => [],
  };
}
