import { yieldToOthers } from "../clock.js";
import type { EntryFilter, LedgerEntry, LedgerReader } from "../ledger/index.js";
import { neighboursOf } from "./explain.js";
import type { Neighbours } from "./paragraph.js";

/** Looking at so many entries takes a few milliseconds. */
const SLICE = 2_000;
/** The requests of a turn are looked for among so many, and so far around one of them. No run waits longer for tools. */
const MAX_LOOKED = 100_000;
const TURN_MS = 24 * 60 * 60_000;
const MAX_ROUNDS = 1_000;
/** A conversation's turn before is looked for among so many. */
const MAX_LOOKED_BEFORE = 10_000;

/** The requests around one. In a ledger with many, others can work meanwhile. */
export async function findNeighbours(reader: Pick<LedgerReader, "search">, entry: LedgerEntry): Promise<Neighbours> {
  const { atMs, turnId, thread } = entry;
  const around = { turnId, fromMs: atMs - TURN_MS, toMs: atMs + TURN_MS, limit: MAX_ROUNDS };
  const turn = await find(reader, around, MAX_LOOKED, ({ round }) => round === 0);
  if (thread === null) return neighboursOf(entry, turn);
  const toMs = Math.min(atMs, ...turn.map((each) => each.atMs));
  const before = await find(reader, { thread, toMs, limit: 1 }, MAX_LOOKED_BEFORE, () => true);
  return neighboursOf(entry, [...turn, ...before]);
}

/** The newest come first, so the search can end with the first request of a turn. */
async function find(
  reader: Pick<LedgerReader, "search">,
  filter: EntryFilter,
  maxLooked: number,
  isLast: (entry: LedgerEntry) => boolean,
): Promise<LedgerEntry[]> {
  const found: LedgerEntry[] = [];
  let before: string | undefined;
  for (let looked = 0; looked < maxLooked; looked += SLICE) {
    const limit = filter.limit - found.length;
    const page = reader.search({ ...filter, limit, maxLooked: SLICE, ...(before !== undefined && { before }) });
    found.push(...page.entries);
    if (page.before === null || found.length >= filter.limit || found.some(isLast)) break;
    before = page.before;
    await yieldToOthers();
  }
  return found;
}
