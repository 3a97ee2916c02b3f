import { finishInSlices } from "../clock.js";
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

/** How a line begins. The rest is parsed only where it is wanted. */
const BEGINNING = /^\{"t":"([a-z]+)","key":"([0-9a-z]+)"(?:,"after":"([0-9a-z]+)")?(,"isAlone":true)?/;
const WENT_WELL = '"outcome":"ok"';

/** A place in the ledger. */
interface Step {
  readonly key: string;
  /** What is there, if it fits. */
  readonly found: { readonly entry: LedgerEntry; readonly detail: unknown } | undefined;
  /** It is outside of the time that is searched. */
  readonly isPassed: boolean;
}

/** A walk through the ledger, the newest entries first. */
export type Walk = Generator<Step, void, undefined>;

/** Keys below this one are looked at. */
export function upperBound({ toMs, before }: EntrySearch): string | undefined {
  const time = toMs === undefined ? undefined : sortable(toMs);
  return before !== undefined && (time === undefined || before < time) ? before : time;
}

/** Walks through days, the newest first. The files of each are opened when it comes to them. */
export function* walkDays(
  days: Iterable<() => readonly LedgerFile[]>,
  rules: readonly ForgetRule[],
  search: EntrySearch,
): Walk {
  for (const filesOf of days) {
    const walks = filesOf().map((file) => new FileWalk(file, rulesFor(rules, file), search).steps());
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

/** The lines about a request that stand further on than the place that a walk has come to. */
interface Later {
  ended?: string;
  /** It has ended, and does not fit. */
  isPassed?: boolean;
  opened?: string;
  paused?: string;
  abandoned?: string;
}

/** A walk through one file from its end. A request has its place where it was received: what else is said about it is known by then. */
class FileWalk {
  readonly #file: LedgerFile;
  readonly #rules: readonly ForgetRule[];
  readonly #search: EntrySearch;
  readonly #from: string;
  readonly #to: string | undefined;
  readonly #mayFit: (text: string) => boolean;
  readonly #later = new Map<string, Later>();
  /** Requests whose run waited and went on. */
  readonly #moved = new Set<string>();

  constructor(file: LedgerFile, rules: readonly ForgetRule[], search: EntrySearch) {
    this.#file = file;
    this.#rules = rules;
    this.#search = search;
    this.#from = sortable(search.fromMs ?? 0);
    this.#to = upperBound(search);
    this.#mayFit = textTest(search);
  }

  *steps(): Walk {
    for (const text of this.#file.backwards()) {
      const [, kind, key = "", after, alone] = BEGINNING.exec(text) ?? [];
      if (after !== undefined) this.#moved.add(after);
      switch (kind) {
        case "received": {
          const step = this.#receive(key, text);
          if (step !== undefined) yield step;
          break;
        }
        case "ended":
          this.#end(key, text);
          if (alone !== undefined) yield this.#stepAt(key);
          break;
        case "paused":
          if (!this.#moved.delete(key)) this.#request(key).paused = text;
          break;
        case "moved":
          this.#moved.add(key);
          break;
        case "opened":
        case "abandoned":
          this.#request(key)[kind] = text;
      }
    }
    // Requests whose first line was lost.
    for (const key of [...this.#later.keys()].sort().reverse()) {
      if (this.#later.get(key)?.ended !== undefined) yield this.#stepAt(key);
    }
  }

  #request(key: string): Later {
    const known = this.#later.get(key) ?? {};
    this.#later.set(key, known);
    return known;
  }

  #end(key: string, text: string): void {
    const request = this.#request(key);
    if (this.#isWithin(key) && this.#mayFit(text)) request.ended = text;
    else request.isPassed = true;
  }

  /** Undefined for a request that is open. */
  #receive(key: string, text: string): Step | undefined {
    const request = this.#request(key);
    if (request.ended !== undefined || request.isPassed === true) return this.#stepAt(key);
    this.#later.delete(key);
    if (this.#file.isAlive()) return undefined;
    const received = lineOf("received", text);
    if (received === undefined) return undefined;
    const [opened, paused] = [lineOf("opened", request.opened), lineOf("paused", request.paused)];
    const abandoned = lineOf("abandoned", request.abandoned);
    return this.#step(key, interruptedEntry({ received, opened, paused, abandoned }), undefined);
  }

  #stepAt(key: string): Step {
    const request = this.#request(key);
    this.#later.delete(key);
    const ended = lineOf("ended", request.ended);
    if (ended === undefined) return { key, found: undefined, isPassed: !this.#isWithin(key) };
    return this.#step(key, this.#withEstimates(ended.entry, request), ended.detail);
  }

  #withEstimates(entry: LedgerEntry, request: Later): LedgerEntry {
    if (entry.abandoned !== null) return entry;
    const abandoned = lineOf("abandoned", request.abandoned);
    const paused = lineOf("paused", request.paused);
    if (paused === undefined) return entry;
    if (abandoned !== undefined) return withEstimate(entry, abandoned.tokens, abandoned.reason);
    return withEstimate(entry, paused.tokens, this.#file.isAlive() ? null : "lost");
  }

  #step(key: string, entry: LedgerEntry, detail: unknown): Step {
    const isWanted = !isForgotten(this.#rules, entry) && fits(entry, this.#search);
    const isPassed = !this.#isWithin(key);
    return { key, found: isWanted && !isPassed ? { entry, detail } : undefined, isPassed };
  }

  #isWithin(key: string): boolean {
    return key >= this.#from && (this.#to === undefined || key < this.#to);
  }
}

function lineOf<Kind extends Line["t"]>(kind: Kind, text: string | undefined): Extract<Line, { t: Kind }> | undefined {
  const line = text === undefined ? undefined : readLine(text);
  return line !== undefined && isKind(line, kind) ? line : undefined;
}

function isKind<Kind extends Line["t"]>(line: Line, kind: Kind): line is Extract<Line, { t: Kind }> {
  return line.t === kind;
}

/** Whether an entry with this text can fit at all. Reading the text takes much longer than looking for words in it. */
function textTest({ client, model, id, turnId, thread, isFailed }: EntryFilter): (text: string) => boolean {
  const words = [
    ...(client === undefined ? [] : [JSON.stringify(client).slice(0, -1)]), // a version may follow
    ...[model, id, turnId, thread].flatMap((name) => (name === undefined ? [] : [JSON.stringify(name)])),
  ];
  return (text) => !(isFailed === true && text.includes(WENT_WELL)) && words.every((word) => text.includes(word));
}

export function fits(entry: LedgerEntry, { client, model, isFailed, id, turnId, thread }: EntryFilter): boolean {
  return (
    (client === undefined || entry.client === client || entry.client.startsWith(`${client}/`)) &&
    (model === undefined || entry.model === model) &&
    (isFailed === undefined || isFailed === isFailure(entry.outcome)) &&
    (id === undefined || entry.id === id) &&
    (turnId === undefined || entry.turnId === turnId) &&
    (thread === undefined || entry.thread === thread)
  );
}

/** Searches, and lets others work meanwhile. */
export function searchInSlices(reader: Pick<LedgerReader, "search">, search: EntrySearch): Promise<EntryPage> {
  return finishInSlices(reader.search(search));
}

/** The newest entry with this id. */
export async function findEntry(reader: Pick<LedgerReader, "search">, id: string): Promise<LedgerEntry | undefined> {
  const { entries } = await searchInSlices(reader, { id, limit: 1, maxLooked: Number.POSITIVE_INFINITY });
  return entries[0];
}
