import { type LedgerEntry, turnTokens } from "../ledger/index.js";
import { aboutTokens, countText, some } from "./amounts.js";

/** Less than this is not worth calling a turn cold for. */
const WORTH_MENTIONING_TOKENS = 1_000;

export interface ChosenTurn {
  readonly entry: LedgerEntry;
  /** Why this one, in words. */
  readonly because: string;
}

interface Turn {
  /** The request that decided what the turn cost, or the one that failed. */
  readonly entry: LedgerEntry;
  readonly sentAgain: number;
  /** What the model read outside the cache, and what it wrote. */
  readonly uncached: number;
  readonly isFailed: boolean;
}

/**
 * The turn that is most worth explaining. What was sent again comes first because the client can avoid it; then what the model
 * read outside the cache and wrote; then what failed. Undefined when there is none at all.
 */
export function chooseTurn(entries: readonly LedgerEntry[]): ChosenTurn | undefined {
  const turns = turnsOf(entries);
  const number = turns.length === 1 ? "The only turn" : `Of the last ${some(turns.length, "turn")}, this one`;
  const coldest = greatest(turns, ({ sentAgain }) => sentAgain);
  if (coldest !== undefined && coldest.sentAgain >= WORTH_MENTIONING_TOKENS) {
    const again = `sent ${turns.length === 1 ? "much" : "the most"} of its conversation again`;
    return { entry: coldest.entry, because: `${number} ${again}: ${aboutTokens(coldest.sentAgain)}.` };
  }
  const dearest = greatest(turns, ({ uncached }) => uncached);
  if (dearest !== undefined && dearest.uncached > 0) {
    const took = `${countText(dearest.uncached)} tokens that the model read outside the cache or wrote`;
    return { entry: dearest.entry, because: `${number} took ${turns.length === 1 ? "" : "the most: "}${took}.` };
  }
  const last = turns.findLast(({ isFailed }) => isFailed) ?? turns.at(-1);
  if (last === undefined) return undefined;
  const which = last.isFailed ? "the last one that failed" : "the last one";
  return { entry: last.entry, because: `No turn has any tokens booked; this is ${which}.` };
}

/** In the order of time. */
function turnsOf(entries: readonly LedgerEntry[]): Turn[] {
  const byTurn = new Map<string, LedgerEntry[]>();
  for (const entry of [...entries].sort((one, other) => one.atMs - other.atMs)) {
    const turn = byTurn.get(entry.turnId);
    if (turn === undefined) byTurn.set(entry.turnId, [entry]);
    else turn.push(entry);
  }
  return [...byTurn.values()].flatMap((requests): Turn[] => {
    const [first] = requests;
    if (first === undefined) return [];
    const coldest = greatest(requests, ({ sentAgainTokens }) => sentAgainTokens) ?? first;
    const failed = requests.findLast(({ outcome }) => outcome !== "ok");
    const sentAgain = coldest.sentAgainTokens;
    const tokens = turnTokens(requests);
    return [
      {
        entry: sentAgain > 0 ? coldest : (failed ?? first),
        sentAgain,
        uncached: tokens === null ? 0 : tokens.input - tokens.cacheRead + tokens.output,
        isFailed: failed !== undefined,
      },
    ];
  });
}

/** The newest of the greatest. */
function greatest<Item>(items: readonly Item[], amountOf: (item: Item) => number): Item | undefined {
  return items.reduce<Item | undefined>(
    (best, item) => (best === undefined || amountOf(item) >= amountOf(best) ? item : best),
    undefined,
  );
}
