import { yieldToOthers } from "@curlew/gateway/system/clock.js";
import {
  type EntryFilter,
  findEntry,
  type LedgerEntry,
  type LedgerReader,
  searchInSlices,
} from "@curlew/meter/ledger/index.js";
import type { Prices } from "@curlew/meter/prices/prices.js";
import { explain, findNeighbours } from "@curlew/meter/why/index.js";
import type { PageEntry, RequestAnswer, RequestsAnswer, TimedRequest } from "../access/contract.js";

/** Reading this many details takes a few milliseconds. */
const SLICE = 50;

/** One request, its turn, and what explains its cost and time; undefined if the ledger does not have it. */
export async function tellRequest(
  reader: LedgerReader,
  id: string,
  prices: Prices,
): Promise<RequestAnswer | undefined> {
  await reader.ready();
  const entry = await findEntry(reader, id);
  if (entry === undefined) return undefined;
  const neighbours = await findNeighbours(reader, entry);
  const detail = reader.detail(entry);
  return {
    entry: pageEntry(entry),
    detail: detail ?? null,
    turn: await timed(reader, neighbours.turn),
    why: explain(entry, detail, neighbours),
    dollars: dollarsOf(neighbours.turn, prices),
  };
}

export function pageEntry({ caller: _, account: __, ...shown }: LedgerEntry): PageEntry {
  return shown;
}

/** Without the stored texts: those of a long turn are too large for one response. */
async function timed(reader: LedgerReader, turn: readonly LedgerEntry[]): Promise<TimedRequest[]> {
  const requests: TimedRequest[] = [];
  for (const entry of turn) {
    const detail = reader.detail(entry);
    requests.push({ entry: pageEntry(entry), detail: detail === undefined ? null : { ...detail, texts: null } });
    if (requests.length % SLICE === 0) await yieldToOthers();
  }
  return requests;
}

/** Null if part of it is unknown. */
function dollarsOf(turn: readonly LedgerEntry[], prices: Prices): number | null {
  const costs = turn.flatMap(({ tokens, model }) => (tokens === null ? [] : [prices.costOf(model, tokens)]));
  const known = costs.filter((cost) => cost !== undefined);
  return costs.length === 0 || known.length < costs.length ? null : known.reduce((sum, cost) => sum + cost, 0);
}

/** A search stops here even with too few results; the page continues it with `before`. */
const MAX_LOOKED = 50_000;

export interface RequestsQuestion extends Pick<EntryFilter, "client" | "model" | "isFailed" | "limit"> {
  readonly before?: string;
}

export async function listRequests(reader: LedgerReader, question: RequestsQuestion): Promise<RequestsAnswer> {
  await reader.ready();
  const { entries, before } = await searchInSlices(reader, { ...question, maxLooked: MAX_LOOKED });
  return { entries: entries.map(pageEntry), before };
}
