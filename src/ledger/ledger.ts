import { setImmediate } from "node:timers/promises";
import type { Clock } from "../clock.js";
import { type AbandonedRun, listen, type RequestRecord } from "../events/index.js";
import { Booking } from "./booking.js";
import type { LedgerReader } from "./entry.js";
import { type ForgetRule, rulesAfter, unforgotten } from "./forget-rules.js";
import type { IntentLog } from "./intent-log.js";
import { type AbandonedItem, itemLine, type LogItem, receivedLine, waitingLine } from "./log-item.js";
import { LogKeeper } from "./log-keeper.js";
import { memoryTables } from "./memory-tables.js";
import { OpenRequests } from "./open-requests.js";
import { type FormerSource, readerOf, type Unbooked } from "./reader.js";
import { RequestLines } from "./request-lines.js";
import { Spans } from "./spans.js";
import type { LedgerTables } from "./tables.js";
import { update, type View } from "./view.js";
import { WaitingTurns } from "./waiting-turns.js";
import { countedTokens, receivedText } from "./write-entry.js";

const MOVE_AFTER_MS = 1_000;
/** The wait after a move that failed. It doubles with each further failure. */
const FIRST_REST_MS = 1_000;
const MAX_REST_MS = 60_000;
/** Booking this many, and handing them over to LMDB, takes a few milliseconds. */
const MAX_BATCH = 100;
/** How many requests are held in memory while they cannot be moved. Then old ones are dropped. */
const MAX_WAITING = 4_000;
const TOUCH_EVERY_MS = 60_000;

export interface LedgerDeps {
  /** Whose requests are written down. */
  readonly gateway: string;
  readonly clock: Clock;
  /** Whether the texts of requests and answers are kept in the journal. */
  readonly keepsTexts: boolean;
  /** Undefined for a ledger that ends with the process. */
  readonly log: IntentLog | undefined;
  /** Opens the tables. If that fails, it is tried again later. */
  readonly openTables: () => Promise<LedgerTables>;
  /** What other processes have not booked yet: the same list for as long as that is not known to have changed. */
  readonly others: () => readonly Unbooked[];
  readonly former?: FormerSource;
  /** Takes problems that harm no request. */
  readonly onProblem: (problem: unknown) => void;
}

/**
 * Writes down every request of one gateway: in the log of the process at once, in the tables about a second later. The log is what
 * makes sure that a request is booked, the tables are what is read.
 */
export class Ledger {
  readonly reader: LedgerReader;
  readonly #deps: LedgerDeps;
  readonly #lines = new RequestLines();
  readonly #log: LogKeeper;
  readonly #spans = new Spans();
  readonly #open = new OpenRequests();
  readonly #turns = new WaitingTurns();
  /** Ended requests and abandoned runs that are not in the tables yet, the oldest first. */
  #waiting: LogItem[] = [];
  /** What a reader has last got, until something has changed. */
  #read: { readonly others: readonly Unbooked[]; readonly all: readonly Unbooked[] } | undefined;
  readonly #stops: (() => void)[];
  #tables: LedgerTables | undefined;
  #opening: Promise<LedgerTables> | undefined;
  #moving: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #restMs = FIRST_REST_MS;
  #isClosed = false;
  /** Problems that go on are told once. */
  readonly #told = new Set<string>();

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    const { log, clock, onProblem } = deps;
    this.#log = new LogKeeper({ log, clock, onProblem, unmoved: () => this.#unmoved() });
    const nothing = memoryTables();
    this.reader = readerOf({
      tables: () => this.#tables ?? nothing,
      unbooked: () => this.#unbooked(),
      ...(deps.former !== undefined && { former: deps.former }),
      ready: () =>
        this.tables().then(
          () => {},
          () => {},
        ),
      close: () => Promise.resolve(),
    });
    this.#stops = [
      listen(
        deps.gateway,
        {
          "curlew:request:received": (record) => this.#receive(record),
          "curlew:request:opened": (record) => this.#open.opened(record),
          "curlew:request:resumed": (record) => this.#open.resumed(record),
          "curlew:request:paused": (record) => this.#pause(record),
          "curlew:request:finished": (record) => this.#end(record),
          "curlew:request:failed": (record) => this.#end(record),
          "curlew:run:abandoned": (run) => this.#abandon(run),
        },
        onProblem,
      ),
      clock.every(TOUCH_EVERY_MS, () => this.#touch()),
    ];
  }

  /** The requests that have not ended. */
  openRecords(): readonly RequestRecord[] {
    return this.#open.records();
  }

  get isOpen(): boolean {
    return this.#tables !== undefined;
  }

  /**
   * The tables, opened when they are first needed.
   * @throws Error when they cannot be opened now
   */
  async tables(): Promise<LedgerTables> {
    if (this.#tables !== undefined) return this.#tables;
    this.#opening ??= this.#deps.openTables().finally(() => {
      this.#opening = undefined;
    });
    this.#tables = await this.#opening;
    return this.#tables;
  }

  /**
   * Resolves when everything that has ended is in the tables.
   * @throws Error when it could not be written
   */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) await this.#move();
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#isClosed = true;
    await this.flush().catch((problem: unknown) => this.#tellOnce("tables", problem));
    this.#stopTimer?.();
    this.#log.close({ isMoved: !this.#hasOpen && this.#waiting.length === 0 });
    await this.#opening?.catch(() => {});
    await this.#tables?.close();
  }

  #receive(record: RequestRecord): void {
    const request = this.#open.receive(record);
    if (request === undefined) return;
    this.#lines.received(request.key, record);
    this.#log.append(this.#lines.bytes, this.#lines.length);
  }

  #pause(record: RequestRecord): void {
    this.#open.paused(record);
    for (const request of this.#open.values()) {
      if (request.record !== record || request.isForgotten) continue;
      const turn = this.#turns.pause(request.key, record);
      if (turn !== undefined) this.#log.append(Buffer.from(waitingLine(turn)));
    }
  }

  #end(record: RequestRecord): void {
    const { clock, keepsTexts } = this.#deps;
    const request = this.#open.end(record);
    this.#turns.end(record.turnId, record.round);
    if (request?.isForgotten === true) return;
    const key = request?.key ?? this.#open.newKey(record);
    const endedMs = record.endedMs ?? clock.now();
    this.#wait(this.#lines.ended(key, record, { endedMs, keepsTexts, peaks: this.#open.takePeaks() }));
    this.#log.append(this.#lines.bytes, this.#lines.length);
    // Its line is in the log already.
    if (request?.abandoned !== undefined) this.#wait(request.abandoned);
  }

  #abandon({ request: record, reason, usage }: AbandonedRun): void {
    const { key, request } = this.#open.abandon(record);
    const tokens = countedTokens(usage);
    if (tokens === null || key === undefined) return;
    const item: AbandonedItem = { type: "abandoned", key, reason, tokens };
    this.#turns.abandon(key);
    if (request === undefined) this.#wait(item);
    else request.abandoned = item;
    this.#log.append(Buffer.from(itemLine(item)));
  }

  #wait(item: LogItem): void {
    if (this.#waiting.length >= MAX_WAITING) {
      // The first ones may be on their way into the tables.
      this.#waiting.splice(MAX_BATCH, 1);
      this.#tellOnce(
        "dropped",
        new Error("The ledger could not be written for so long that requests are left out of it."),
      );
    }
    this.#waiting.push(item);
    this.#read = undefined;
    this.#stopTimer ??= this.#deps.clock.after(MOVE_AFTER_MS, () => this.#moveSoon());
  }

  #unbooked(): readonly Unbooked[] {
    const others = this.#deps.others();
    if (this.#read?.others === others) return this.#read.all;
    const all = [...others, { rule: this.#log.rule, items: this.#waiting }];
    this.#read = { others, all };
    return all;
  }

  *#unmoved(): IterableIterator<string> {
    for (const { key, record, isForgotten, abandoned } of this.#open.values()) {
      if (isForgotten) continue;
      yield receivedLine(key, receivedText(record));
      if (abandoned !== undefined) yield itemLine(abandoned);
    }
    for (const item of this.#waiting) yield itemLine(item);
    for (const turn of this.#turns.values()) yield waitingLine(turn);
  }

  #moveSoon(): void {
    this.#move().catch((problem: unknown) => {
      this.#tellOnce("tables", problem);
      if (this.#isClosed) return;
      this.#stopTimer = this.#deps.clock.after(this.#restMs, () => this.#moveSoon());
      this.#restMs = Math.min(2 * this.#restMs, MAX_REST_MS);
      this.#tidyLog();
    });
  }

  /** Moves what waits into the tables. */
  #move(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#moving ??= this.#moveAll().finally(() => {
      this.#moving = undefined;
    });
    return this.#moving;
  }

  async #moveAll(): Promise<void> {
    const tables = await this.tables();
    do {
      const batch = this.#waiting.slice(0, MAX_BATCH);
      const rules = await update(tables, (view) => this.#book(view, batch));
      this.#waiting.splice(0, batch.length);
      this.#read = undefined;
      if (rules.length > 0) this.#follow(rules);
      await setImmediate();
    } while (this.#waiting.length > 0);
    this.#told.delete("tables");
    this.#restMs = FIRST_REST_MS;
    this.#tidyLog();
  }

  /** Returns the rules that are new. */
  #book(view: View, batch: readonly LogItem[]): ForgetRule[] {
    const rules = rulesAfter(view, this.#log.rule);
    const booking = new Booking(view, this.#spans);
    for (const item of unforgotten(rules, batch)) booking.book(item);
    booking.finish();
    return rules;
  }

  /** Forgets what the owner wants forgotten, in memory and in the log. */
  #follow(rules: readonly ForgetRule[]): void {
    this.#waiting = [...unforgotten(rules, this.#waiting)];
    this.#open.forget(rules);
    this.#log.follow(rules.at(-1)?.number ?? this.#log.rule);
    this.#read = undefined;
  }

  #tidyLog(): void {
    this.#log.tidy({ hasOpen: this.#hasOpen, hasWaiting: this.#waiting.length > 0 });
  }

  /** Whether the log has something that is not for the tables yet. */
  get #hasOpen(): boolean {
    return this.#open.size > 0 || this.#turns.size > 0;
  }

  #touch(): void {
    if (!this.#hasOpen && this.#waiting.length === 0) return;
    this.#log.touch();
    // A rule about what is forgotten may have come, though nothing has ended.
    if (this.#tables !== undefined && this.#stopTimer === undefined) this.#moveSoon();
  }

  #tellOnce(what: string, problem: unknown): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#deps.onProblem(problem);
  }
}
