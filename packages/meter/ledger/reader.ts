import { finish, finishInSlices } from "@curlew/gateway/system/clock.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import { DayFile, type LedgerFile, type Listing, listFolder, sumsName } from "./day-files.js";
import {
  add,
  type ConductDay,
  Counters,
  dayStart,
  type EntryFilter,
  type EntryPage,
  type EntrySearch,
  type JournalDetail,
  type LedgerEntry,
  type LedgerReader,
  type RollUp,
} from "./entry.js";
import { readDetail, timeOfKey } from "./line.js";
import { fits, upperBound, type Walk, walkDays } from "./search.js";
import { DayTotals, SumsFile } from "./sums.js";

/** Upper bound for the length of a day and for the distance between two time zones. */
const LONGEST_DAY_MS = 27 * 60 * 60_000;
/** Examining this many entries takes a few milliseconds. */
const SLICE = 2_000;
/** Cost of skipping an entry, relative to examining one. */
const PASSED_SHARE = 0.1;

interface ReaderDeps {
  /** Undefined for an in-memory ledger. */
  readonly folder: string | undefined;
  readonly now: () => number;
  /** This process's own files by day, if it writes to the ledger. */
  readonly own?: () => ReadonlyMap<string, LedgerFile>;
  /** Receives problems that make parts of the ledger unreadable, once per file. */
  readonly onProblem: (problem: unknown) => void;
}

/** Reads a ledger while other processes write to it. Never changes the disk. */
export class FolderReader implements LedgerReader {
  readonly #deps: ReaderDeps;
  readonly #files = new Map<string, DayFile>();
  readonly #sums = new Map<string, SumsFile>();
  readonly #told = new Set<string>();
  readonly #details = new WeakMap<LedgerEntry, unknown>();

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  async ready(): Promise<void> {
    const listing = this.list();
    for (const day of this.days(listing)) {
      if (this.sumsOf(day, listing) === undefined) await finishInSlices(this.sumUp(day, listing));
    }
  }

  entries(filter: EntryFilter): LedgerEntry[] {
    return finish(this.search({ ...filter, maxLooked: Number.POSITIVE_INFINITY })).entries;
  }

  *search(search: EntrySearch): Generator<undefined, EntryPage, undefined> {
    const { limit, maxLooked, isLast } = search;
    const entries: LedgerEntry[] = [];
    let before = upperBound(search) ?? null;
    let isOver = false;
    let looked = 0;
    let sliceLeft = SLICE;
    for (const { key, found, isPassed } of this.#walk(search)) {
      const isSliceOver = sliceLeft <= 0;
      if (entries.length >= limit || looked >= maxLooked || (isSliceOver && isOver)) {
        return { entries: entries.sort(byTime), before };
      }
      if (isSliceOver) {
        yield;
        sliceLeft = SLICE;
      }
      sliceLeft -= isPassed ? PASSED_SHARE : 1;
      if (!isPassed) {
        looked++;
        before = key;
      }
      if (found === undefined) continue;
      entries.push(found.entry);
      this.#details.set(found.entry, found.detail);
      isOver ||= isLast?.(found.entry) === true;
    }
    return { entries: entries.sort(byTime), before: null };
  }

  detail(entry: LedgerEntry): JournalDetail | undefined {
    return readDetail(entry.id, this.#details.get(entry));
  }

  rollUps(span: "hour" | "day", fromMs: number, toMs: number): RollUp[] {
    const name = span === "hour" ? "hours" : "days";
    const rows = this.#sumsIn(fromMs, toMs).flatMap((sums) => sums[name]);
    return rows.filter(({ startMs }) => startMs >= fromMs && startMs < toMs).sort(byStartAndNames);
  }

  dearest(filter: Omit<EntryFilter, "limit">): LedgerEntry[] {
    const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = filter;
    const entries = this.#sumsIn(fromMs, toMs).flatMap((sums) => sums.dearest);
    return entries.filter((entry) => entry.atMs >= fromMs && entry.atMs < toMs && fits(entry, filter));
  }

  thread(thread: string): Counters | undefined {
    const listing = this.list();
    const found = this.days(listing).flatMap((day) => {
      const sums = this.sumsOf(day, listing);
      if (sums !== undefined) return sums.thread(thread) ?? [];
      return this.filesOf(day, listing).flatMap((file) => {
        try {
          const parts = finish(file.book(listing.rules)).parts(file.isAlive());
          return parts.flatMap(({ threads }) => threads.get(thread) ?? []);
        } catch (problem) {
          this.#tellOnce(file.name, problem);
          return [];
        }
      });
    });
    return found.reduce<Counters | undefined>((sum, counters) => add(sum ?? new Counters(), counters), undefined);
  }

  conduct(fromMs: number, toMs: number): ConductDay[] {
    const days = this.#sumsIn(fromMs, toMs).flatMap((sums) => sums.conduct);
    return days
      .filter(({ startMs }) => startMs >= fromMs && startMs < toMs)
      .sort((one, other) => one.startMs - other.startMs);
  }

  list(): Listing {
    const { folder } = this.#deps;
    return listFolder(folder, (problem) => this.#tellOnce("", problem));
  }

  /** All days with files, oldest first. */
  days(listing: Listing): string[] {
    return [...new Set([...listing.days.keys(), ...(this.#deps.own?.().keys() ?? [])])].sort();
  }

  /** The readable files of a day. */
  filesOf(day: string, listing: Listing): LedgerFile[] {
    const own = this.#deps.own?.().get(day);
    const others = (listing.days.get(day) ?? []).filter((name) => name !== own?.name);
    const files: LedgerFile[] = others.flatMap((name) => this.#file(name) ?? []);
    return own === undefined ? files : [...files, own];
  }

  /** The stored sums of a past day; undefined if missing or stale. */
  sumsOf(day: string, { days, sums, rules }: Listing): SumsFile | undefined {
    const { folder } = this.#deps;
    if (folder === undefined || !sums.has(sumsName(day))) return undefined;
    const names = days.get(day) ?? [];
    const known = this.#sums.get(day);
    if (known?.isOf(folder, names, rules) === true) return known;
    try {
      const read = new SumsFile(folder, day);
      if (!read.isOf(folder, names, rules)) return undefined;
      this.#sums.set(day, read);
      for (const name of names) this.#files.delete(name);
      return read;
    } catch (problem) {
      this.#tellOnce(sumsName(day), problem);
      return undefined;
    }
  }

  /** Computes the sums of a day. Unreadable files are left out. */
  *sumUp(day: string, listing: Listing, hasThreads = false): Generator<undefined, DayTotals, undefined> {
    const sums = new DayTotals();
    for (const file of this.filesOf(day, listing)) {
      try {
        const book = yield* file.book(listing.rules);
        const isAlive = book.isComplete || file.isAlive();
        for (const part of book.parts(isAlive)) sums.add(file.startMs, part, hasThreads);
      } catch (problem) {
        this.#tellOnce(file.name, problem);
      }
    }
    return sums;
  }

  #sumsIn(fromMs: number, toMs: number): (SumsFile | DayTotals)[] {
    const listing = this.list();
    const days = this.days(listing).filter((day) => isWithin(day, fromMs, toMs));
    return days.map((day) => this.sumsOf(day, listing) ?? finish(this.sumUp(day, listing)));
  }

  #file(name: string): DayFile | undefined {
    const { folder, now } = this.#deps;
    const known = this.#files.get(name);
    if (known !== undefined || folder === undefined) return known;
    try {
      const file = new DayFile(folder, name, now);
      this.#files.set(name, file);
      return file;
    } catch (problem) {
      this.#tellOnce(name, problem);
      return undefined;
    }
  }

  #walk(search: EntrySearch): Walk {
    const listing = this.list();
    const bound = upperBound(search);
    const toMs = bound === undefined ? Number.MAX_SAFE_INTEGER : timeOfKey(bound) + 1;
    const days = this.days(listing).filter((day) => isWithin(day, search.fromMs ?? 0, toMs));
    return walkDays(
      days.reverse().map((day) => () => this.filesOf(day, listing)),
      listing.rules,
      search,
    );
  }

  #tellOnce(name: string, problem: unknown): void {
    if (this.#told.has(name)) return;
    this.#told.add(name);
    const what = name === "" ? "The ledger" : `${name} of the ledger`;
    this.#deps.onProblem(new Error(`${what} cannot be read and is left out: ${reasonOf(problem)}`, { cause: problem }));
  }
}

/** Whether a day overlaps a period, in any time zone. */
function isWithin(day: string, fromMs: number, toMs: number): boolean {
  const startMs = dayStart(day) ?? 0;
  return startMs + 2 * LONGEST_DAY_MS > fromMs && startMs - LONGEST_DAY_MS < toMs;
}

function byTime(one: LedgerEntry, other: LedgerEntry): number {
  return other.atMs - one.atMs;
}

function byStartAndNames(one: RollUp, other: RollUp): number {
  if (one.startMs !== other.startMs) return one.startMs - other.startMs;
  const [name, otherName] = [`${one.client}\t${one.model}`, `${other.client}\t${other.model}`];
  return name < otherName ? -1 : name > otherName ? 1 : 0;
}

/** Reads a ledger that other processes write to. A process that writes to it itself uses `OpenLedger.reader`. */
export function openLedgerReader(
  folder: string,
  { now = Date.now, onProblem = () => {} }: Partial<Pick<ReaderDeps, "now" | "onProblem">> = {},
): LedgerReader {
  return new FolderReader({ folder, now, onProblem });
}
