import { type LedgerEntry, type LedgerReader, searchInSlices } from "../ledger/index.js";
import { neighboursOf } from "./explain.js";
import type { Neighbours } from "./paragraph.js";

/** The requests of a turn are looked for among so many, and so far around one of them. No run waits longer for tools. */
const MAX_LOOKED = 100_000;
const TURN_MS = 24 * 60 * 60_000;
const MAX_ROUNDS = 1_000;
/** A conversation's turn before is looked for among so many. */
const MAX_LOOKED_BEFORE = 10_000;

/** The requests around one. In a ledger with many, others can work meanwhile. */
export async function findNeighbours(reader: Pick<LedgerReader, "search">, entry: LedgerEntry): Promise<Neighbours> {
  const { atMs, turnId, thread } = entry;
  const around = { turnId, fromMs: atMs - TURN_MS, toMs: atMs + TURN_MS, limit: MAX_ROUNDS, maxLooked: MAX_LOOKED };
  const { entries: turn } = await searchInSlices(reader, around, ({ round }) => round === 0);
  if (thread === null) return neighboursOf(entry, turn);
  const toMs = Math.min(atMs, ...turn.map((each) => each.atMs));
  const { entries } = await searchInSlices(reader, { thread, toMs, limit: 1, maxLooked: MAX_LOOKED_BEFORE });
  return neighboursOf(entry, [...turn, ...entries]);
}
