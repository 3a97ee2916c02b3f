import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { parseJson } from "@curlew/gateway/turn/read-json.js";
import { addConduct, conductCounts, conductPeaks, DearestTurns, noConduct, rowIn, type Totals } from "./book.js";
import { type Listing, linesForward, rulesFor, sumsName } from "./day-files.js";
import { add, type ConductDay, Counters, countNames, type LedgerEntry, type RollUp, tokenKinds } from "./entry.js";
import { listOf, numberOf, readEntry, recordOf, textOf } from "./line.js";

/** The sums of the files of a day. All have the same start of the day, unless the time zone changed. */
export class DayTotals {
  readonly threads = new Map<string, Counters>();
  readonly #dearest = new DearestTurns();
  readonly #hours = new Map<string, RollUp & Counters>();
  readonly #days = new Map<string, RollUp & Counters>();
  readonly #conduct = new Map<number, ReturnType<typeof noConduct>>();

  /** `hasThreads`: also sums up conversations. Only for writing, because there are many. */
  add(startMs: number, { hours, threads, conduct, dearest }: Totals, hasThreads: boolean): void {
    for (const row of hours.values()) {
      add(rowIn(this.#hours, row), row);
      add(rowIn(this.#days, { ...row, startMs }), row);
    }
    const sum = this.#conduct.get(startMs) ?? noConduct();
    this.#conduct.set(startMs, sum);
    addConduct(sum, conduct);
    for (const entry of dearest.list) this.#dearest.add(entry);
    if (!hasThreads) return;
    for (const [thread, counters] of threads) {
      this.threads.set(thread, add(this.threads.get(thread) ?? new Counters(), counters));
    }
  }

  get days(): RollUp[] {
    return [...this.#days.values()];
  }

  get hours(): RollUp[] {
    return [...this.#hours.values()];
  }

  get dearest(): LedgerEntry[] {
    return this.#dearest.list;
  }

  get conduct(): ConductDay[] {
    const days = Array.from(this.#conduct, ([startMs, counts]) => ({ startMs, ...counts }));
    return days.filter(({ requests }) => requests > 0);
  }
}

/** The stored sums of a past day: one line each for the day, its hours, its most expensive turns, and every thread. */
export class SumsFile {
  readonly days: readonly RollUp[];
  readonly conduct: readonly ConductDay[];
  readonly #path: string;
  readonly #rule: number;
  /** The files summed up, with their sizes. Stored as `sizes`: sums of versions with fewer counters have `files`, and are stale. */
  readonly #files: Readonly<Record<string, unknown>>;

  /** @throws Error when it cannot be read */
  constructor(folder: string, day: string) {
    this.#path = join(folder, sumsName(day));
    const read = recordOf(parseJson(this.#line(0)));
    this.#files = recordOf(read.sizes);
    this.#rule = numberOf(read.rule);
    this.days = listOf(read.days).map(readRow);
    this.conduct = listOf(read.conduct).map(readConduct);
  }

  get hours(): readonly RollUp[] {
    return listOf(parseJson(this.#line(1))).map(readRow);
  }

  get dearest(): LedgerEntry[] {
    return listOf(parseJson(this.#line(2))).map(readEntry);
  }

  /** Searched for in the text: there are too many threads to parse. */
  thread(thread: string): Counters | undefined {
    const text = unlessMissing(() => readFileSync(this.#path));
    const at = text?.indexOf(`\n[${JSON.stringify(thread)},`) ?? -1;
    if (text === undefined || at < 0) return undefined;
    const [, ...numbers] = listOf(parseJson(text.toString("utf8", at + 1, text.indexOf("\n", at + 1))));
    return readCounters(numbers);
  }

  /** Whether the sums are up to date: same files, same sizes, no new rules. */
  isOf(folder: string, names: readonly string[], rules: Listing["rules"]): boolean {
    const startMs = this.days[0]?.startMs ?? 0;
    return (
      rulesFor(rules, { startMs, rule: this.#rule }).length === 0 &&
      names.length === Object.keys(this.#files).length &&
      names.every((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size === this.#files[name])
    );
  }

  #line(index: number): string {
    let at = 0;
    for (const { lines } of linesForward(this.#path, 0)) {
      const found = lines[index - at];
      if (found !== undefined) return found;
      at += lines.length;
    }
    return "";
  }
}

/** Serializes the sums of a day for `SumsFile`. */
export function sumsText(sums: DayTotals, files: Readonly<Record<string, number>>, rule: number): string {
  const head = { sizes: files, rule, conduct: sums.conduct, days: sums.days.map(toRow) };
  const lines = [head, sums.hours.map(toRow), sums.dearest].map((value) => JSON.stringify(value));
  for (const [thread, counters] of sums.threads) lines.push(JSON.stringify([thread, ...numbersOf(counters)]));
  return `${lines.join("\n")}\n`;
}

function toRow(row: RollUp): unknown[] {
  return [row.startMs, row.client, row.isNamedKey, row.model, row.account, ...numbersOf(row)];
}

function numbersOf(counters: Readonly<Counters>): number[] {
  return [...countNames.map((name) => counters[name]), ...tokenKinds.map((kind) => counters.tokens[kind])];
}

function readRow(value: unknown): RollUp {
  const [startMs, client, isNamedKey, model, account, ...numbers] = listOf(value);
  const names = { client: textOf(client), model: textOf(model), account: textOf(account) };
  return { startMs: numberOf(startMs), isNamedKey: isNamedKey === true, ...names, ...readCounters(numbers) };
}

function readCounters(numbers: readonly unknown[]): Counters {
  const counters = new Counters();
  countNames.forEach((name, at) => {
    counters[name] = numberOf(numbers[at]);
  });
  tokenKinds.forEach((kind, at) => {
    counters.tokens[kind] = numberOf(numbers[countNames.length + at]);
  });
  return counters;
}

function readConduct(value: unknown): ConductDay {
  const read = recordOf(value);
  const conduct = noConduct();
  for (const name of [...conductCounts, ...conductPeaks]) conduct[name] = numberOf(read[name]);
  for (const [reason, count] of Object.entries(recordOf(read.abandoned))) conduct.abandoned[reason] = numberOf(count);
  return { startMs: numberOf(read.startMs), ...conduct };
}
