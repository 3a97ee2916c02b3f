import { finishInSlices } from "@curlew/gateway/system/clock.js";
import { type ForgetRule, interruptedEntry, isForgotten, withEstimate } from "./book.js";
import { type LedgerFile, rulesFor } from "./day-files.js";
import {
  type EntryFilter,
  type EntryPage,
  type EntrySearch,
  isFailure,
  type LedgerEntry,
  type LedgerReader,
} from "./entry.js";
import { type Line, readLine, sortable } from "./line.js";

/** Start of a line. The rest is parsed only if needed. */
const BEGINNING = /^\{"t":"([a-z]+)","key":"([0-9a-z]+)"(?:,"after":"([0-9a-z]+)")?(,"isAlone":true)?/;
/** Written by earlier versions, which recorded versions of clients: only reading it shows whose it is. */
const HAS_VERSION = /"client":"[^"]*\/v?\d/;
const WENT_WELL = '"outcome":"ok"';

interface Found {
  readonly entry: LedgerEntry;
  readonly detail: unknown;
}

/** One request in a walk through the ledger. */
interface Step {
  readonly key: string;
  /** Its entry, if it matches. */
  readonly found: Found | undefined;
  /** Outside the searched period. */
  readonly isPassed: boolean;
}

/** A walk through the ledger, newest entries first. */
export type Walk = Generator<Step, void, undefined>;

/** Exclusive upper bound of the keys to examine. */
export function upperBound({ toMs, before }: EntrySearch): string | undefined {
  const time = toMs === undefined ? undefined : sortable(toMs);
  return before !== undefined && (time === undefined || before < time) ? before : time;
}

/** Walks through days, newest first, merging the files of each day. Opens files lazily. */
export function* walkDays(
  days: Iterable<() => readonly LedgerFile[]>,
  rules: readonly ForgetRule[],
  search: EntrySearch,
): Walk {
  for (const filesOf of days) {
    const walks = filesOf().map((file) => walkFile(file, rulesFor(rules, file), search));
    const next = walks.map((each) => each.next());
    for (;;) {
      let newest = -1;
      let newestKey = "";
      next.forEach((step, at) => {
        if (step.done === true || step.value.key < newestKey) return;
        newest = at;
        newestKey = step.value.key;
      });
      const step = next[newest];
      if (step === undefined || step.done === true) break;
      yield step.value;
      next[newest] = walks[newest]?.next() ?? { done: true, value: undefined };
    }
  }
}

/** The lines about a request that follow the current position of a backward walk. */
interface Later {
  /** Null if it does not match. */
  ended?: string | null;
  opened?: string;
  paused?: string;
  abandoned?: string;
}

/** Walks backwards through one file. Yields a request at its `received` line: by then all its later lines have been seen. */
function* walkFile(file: LedgerFile, rules: readonly ForgetRule[], search: EntrySearch): Walk {
  const from = sortable(search.fromMs ?? 0);
  const to = upperBound(search);
  const mayFit = textTest(search);
  const isWithin = (key: string) => key >= from && (to === undefined || key < to);
  const stepAt = (key: string, { entry, detail }: Partial<Found>): Step => {
    const isPassed = !isWithin(key);
    const isWanted = entry !== undefined && !isForgotten(rules, entry) && fits(entry, search);
    return { key, found: isWanted && !isPassed ? { entry, detail } : undefined, isPassed };
  };
  const later = new Map<string, Later>();
  /** Requests whose waiting run was continued. */
  const moved = new Set<string>();
  for (const text of file.backwards()) {
    const [, kind, key = "", after, alone] = BEGINNING.exec(text) ?? [];
    if (after !== undefined) moved.add(after);
    if (kind === "moved") moved.add(key);
    if (kind === undefined || kind === "moved" || (kind === "paused" && moved.delete(key))) continue;
    const request = later.get(key) ?? {};
    later.set(key, request);
    if (kind === "opened" || kind === "paused" || kind === "abandoned") request[kind] = text;
    if (kind === "ended") request.ended = isWithin(key) && mayFit(text) ? text : null;
    if (kind !== "received" && alone === undefined) continue;
    later.delete(key);
    const found = request.ended === undefined ? interrupted(file, text, request) : ended(file, request);
    if (found !== undefined) yield stepAt(key, found);
  }
  // Requests whose first line was lost.
  for (const key of [...later.keys()].sort().reverse()) {
    const request = later.get(key);
    if (request?.ended != null) yield stepAt(key, ended(file, request));
  }
}

/** Empty for a request that does not match. */
function ended(file: LedgerFile, request: Later): Partial<Found> {
  const line = lineOf("ended", request.ended ?? undefined);
  if (line === undefined) return {};
  const { entry, detail } = line;
  const paused = entry.abandoned === null ? lineOf("paused", request.paused) : undefined;
  if (paused === undefined) return { entry, detail };
  const abandoned = lineOf("abandoned", request.abandoned);
  const reason = abandoned?.reason ?? (file.isAlive() ? null : "lost");
  return { entry: withEstimate(entry, (abandoned ?? paused).tokens, reason), detail };
}

/** Undefined for an open request. */
function interrupted(file: LedgerFile, text: string, request: Later): Partial<Found> | undefined {
  const received = file.isAlive() ? undefined : lineOf("received", text);
  if (received === undefined) return undefined;
  const [opened, paused] = [lineOf("opened", request.opened), lineOf("paused", request.paused)];
  const abandoned = lineOf("abandoned", request.abandoned);
  return { entry: interruptedEntry({ received, opened, paused, abandoned }), detail: undefined };
}

function lineOf<Kind extends Line["t"]>(kind: Kind, text: string | undefined): Extract<Line, { t: Kind }> | undefined {
  const line = text === undefined ? undefined : readLine(text);
  return line !== undefined && isKind(line, kind) ? line : undefined;
}

function isKind<Kind extends Line["t"]>(line: Line, kind: Kind): line is Extract<Line, { t: Kind }> {
  return line.t === kind;
}

/** Prefilter: whether an entry with this text can match. Substring search is much faster than parsing. */
function textTest({ client, model, id, turnId, thread, isFailed }: EntryFilter): (text: string) => boolean {
  const words = [model, id, turnId, thread].flatMap((name) => (name === undefined ? [] : [JSON.stringify(name)]));
  const name = JSON.stringify(client ?? "");
  return (text) =>
    !(isFailed === true && text.includes(WENT_WELL)) &&
    words.every((word) => text.includes(word)) &&
    (!client || text.includes(name) || HAS_VERSION.test(text));
}

export function fits(
  entry: LedgerEntry,
  { client, model, isFailed, id, turnId, thread }: Omit<EntryFilter, "limit">,
): boolean {
  return (
    (client === undefined || entry.client === client) &&
    (model === undefined || entry.model === model) &&
    (isFailed === undefined || isFailed === isFailure(entry.outcome)) &&
    (id === undefined || entry.id === id) &&
    (turnId === undefined || entry.turnId === turnId) &&
    (thread === undefined || entry.thread === thread)
  );
}

/** Searches without blocking the event loop. */
export function searchInSlices(reader: Pick<LedgerReader, "search">, search: EntrySearch): Promise<EntryPage> {
  return finishInSlices(reader.search(search));
}

/** The newest entry with this id. */
export async function findEntry(reader: Pick<LedgerReader, "search">, id: string): Promise<LedgerEntry | undefined> {
  const { entries } = await searchInSlices(reader, { id, limit: 1, maxLooked: Number.POSITIVE_INFINITY });
  return entries[0];
}
