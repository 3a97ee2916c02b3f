import type { JournalDetail, LedgerEntry } from "../ledger/index.js";
import { explainContinuity } from "./continuity.js";
import { explainCost } from "./cost.js";
import { explainOutcome } from "./outcome.js";
import type { Neighbours, Paragraph } from "./paragraph.js";
import { explainTime } from "./time.js";

/**
 * What made a request, and the turn that it belongs to, cold, dear or slow, and what to change. Says only what the ledger shows.
 * The most important comes first.
 */
export function explain(
  entry: LedgerEntry,
  detail: JournalDetail | undefined,
  neighbours: Neighbours,
): readonly Paragraph[] {
  const outcome = explainOutcome(entry, detail);
  if (detail?.joined != null) return outcome; // all else is about the request that it has joined
  return [
    ...outcome,
    ...explainContinuity(entry, neighbours),
    ...turnBegan(entry, neighbours),
    ...explainCost(entry, neighbours),
    ...explainTime(entry, detail, neighbours),
  ];
}

/** A round of tools is warm by nature; what the turn cost was decided by its first request. */
function turnBegan(entry: LedgerEntry, neighbours: Neighbours): Paragraph[] {
  const [first] = neighbours.turn;
  if (first === undefined || first.id === entry.id) return [];
  return explainContinuity(first, neighbours)
    .filter(({ advice }) => advice !== null)
    .map(({ what, advice }) => ({
      topic: "turn-began",
      what: `The turn began with request ${first.id}. ${what}`,
      advice,
    }));
}

/** The neighbours of a request among these, which may come in any order. */
export function neighboursOf(entry: LedgerEntry, others: readonly LedgerEntry[]): Neighbours {
  const inOrder = [...others.filter(({ id }) => id !== entry.id), entry].sort(
    (one, other) => one.atMs - other.atMs || one.round - other.round,
  );
  const turn = inOrder.filter(({ turnId }) => turnId === entry.turnId);
  const began = turn[0]?.atMs ?? entry.atMs;
  const isBefore = ({ thread, turnId, atMs }: LedgerEntry) =>
    thread !== null && thread === entry.thread && turnId !== entry.turnId && atMs < began;
  return { turn, before: inOrder.findLast(isBefore) };
}
