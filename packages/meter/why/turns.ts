import { some, wholeCount } from "@curlew/gateway/system/format.js";
import { type LedgerEntry, type LedgerReader, searchInSlices, turnTokens, uncachedTokens } from "../ledger/index.js";
import { aboutTokens, type Neighbours } from "./continuity.js";

/** Search limits for the requests of a turn: number of entries and distance in time. No run waits longer for tools. */
const MAX_LOOKED = 100_000;
const TURN_MS = 24 * 60 * 60_000;
const MAX_ROUNDS = 1_000;
/** Search limit for the previous turn of a conversation. */
const MAX_LOOKED_BEFORE = 10_000;

/** Finds the turn of a request and the request before it. Does not block the event loop. */
export async function findNeighbours(reader: Pick<LedgerReader, "search">, entry: LedgerEntry): Promise<Neighbours> {
  const { atMs, turnId, thread } = entry;
  const around = { turnId, fromMs: atMs - TURN_MS, toMs: atMs + TURN_MS, limit: MAX_ROUNDS, maxLooked: MAX_LOOKED };
  const { entries: turn } = await searchInSlices(reader, { ...around, isLast: ({ round }) => round === 0 });
  if (thread === null) return neighboursOf(entry, turn);
  const toMs = Math.min(atMs, ...turn.map((each) => each.atMs));
  const { entries } = await searchInSlices(reader, { thread, toMs, limit: 1, maxLooked: MAX_LOOKED_BEFORE });
  return neighboursOf(entry, [...turn, ...entries]);
}

/** Picks the neighbours of a request from entries in any order. */
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

/** Resending less than this is not worth an explanation. */
const WORTH_MENTIONING_TOKENS = 1_000;

/**
 * Chooses the turn most worth explaining: the one that resent most, because the client can avoid that; else the one with most
 * uncached and generated tokens; else the last failure. Turns with estimated tokens are left out: their figures may be wrong. Undefined without entries. The entry is the request that decided the cost
 * of the turn, or the one that failed.
 * @param dearest the most expensive turns of a longer period
 */
export function chooseTurn(newest: readonly LedgerEntry[], dearest: readonly LedgerEntry[] = []) {
  const entries = new Map([...newest, ...dearest].map((entry) => [entry.id, entry]));
  const inOrder = [...entries.values()].sort((one, other) => one.atMs - other.atMs);
  const ids = new Set(inOrder.map(({ turnId }) => turnId));
  const turns = [...ids].map((id) => inOrder.filter(({ turnId }) => turnId === id));
  const counted = turns.filter((turn) => turnTokens(turn)?.estimated !== true);
  const among = dearest.length > 0 ? "the turns in this time" : `the last ${some(turns.length, "turn")}`;
  const which = turns.length === 1 ? "The only turn" : `Of ${among}, this one`;
  const coldest = greatest(counted.flat(), ({ sentAgainTokens }) => sentAgainTokens);
  if (coldest !== undefined && coldest.sentAgainTokens >= WORTH_MENTIONING_TOKENS) {
    const again = aboutTokens(coldest.sentAgainTokens);
    return { entry: coldest, because: `${which} resent the most of its conversation: ${again}.` };
  }
  const turn = greatest(counted, uncachedOf) ?? [];
  const entry = turn.find(({ sentAgainTokens }) => sentAgainTokens > 0) ?? turn.findLast(isFailed) ?? turn[0];
  const uncached = uncachedOf(turn);
  if (entry !== undefined && uncached > 0) {
    const took = `${wholeCount(uncached)} tokens uncached or generated`;
    return { entry, because: `${which} was the most expensive: ${took}.` };
  }
  const last = inOrder.findLast(isFailed) ?? inOrder.at(-1);
  const because = "No turn has figures from Cursor; this is the last failure, or else the last turn.";
  return last && { entry: last, because };
}

function isFailed({ outcome }: LedgerEntry): boolean {
  return outcome !== "ok";
}

function uncachedOf(turn: readonly LedgerEntry[]): number {
  const tokens = turnTokens(turn);
  return tokens === null ? 0 : uncachedTokens(tokens);
}

/** The greatest; of several, the last. */
function greatest<Item>(items: readonly Item[], amountOf: (item: Item) => number): Item | undefined {
  return items.reduce<Item | undefined>(
    (best, item) => (best === undefined || amountOf(item) >= amountOf(best) ? item : best),
    undefined,
  );
}
