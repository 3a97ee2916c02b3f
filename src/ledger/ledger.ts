import { setImmediate } from "node:timers/promises";
import type { Clock } from "../clock.js";
import { type AbandonedRun, listen, type RequestRecord } from "../events/index.js";
import { Booking } from "./booking.js";
import type { LedgerReader } from "./entry.js";
import { type ForgetRule, rulesAfter, unforgotten } from "./forget-rules.js";
import type { IntentLog } from "./intent-log.js";
import { JsonBytes } from "./json-bytes.js";
import { type AbandonedItem, itemLine, type LogItem, receivedLine } from "./log-item.js";
import { memoryTables } from "./memory-tables.js";
import { OpenRequests } from "./open-requests.js";
import { readerOf, type Unbooked } from "./reader.js";
import { Spans } from "./spans.js";
import type { LedgerTables } from "./tables.js";
import { update, type View } from "./view.js";
import { countedTokens, entryOf, receivedText, writeDetail, writeEntry, writeReceived } from "./write-entry.js";

const MOVE_AFTER_MS = 1_000;
/** The wait after a move that failed. It doubles with each further failure. */
const FIRST_REST_MS = 1_000;
const MAX_REST_MS = 60_000;
/** Booking this many, and handing them over to LMDB, takes a few milliseconds. */
const MAX_BATCH = 100;
/** How many requests are held in memory while they cannot be moved. Then the oldest are dropped. */
const MAX_WAITING = 4_000;
/** A log that has requests open is written anew when it is longer than this, without those that were moved. */
const MAX_LOG_BYTES = 256 * 1024;
/** Without a move, the log grows up to this. It is more than what is held in memory. */
const MAX_UNMOVED_BYTES = 16 * 1024 * 1024;
/** After such a pause, somebody may have taken the log for one without an owner. */
const QUIET_MS = 60_000;
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
  /** What other processes have not booked yet. */
  readonly others: () => readonly Unbooked[];
  readonly addFormer?: (view: View) => void;
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
  /** The line that is being written. */
  readonly #line = new JsonBytes();
  readonly #spans = new Spans();
  readonly #open = new OpenRequests();
  /** Ended requests and abandoned runs that are not in the tables yet, the oldest first. */
  #waiting: LogItem[] = [];
  readonly #stops: (() => void)[];
  #tables: LedgerTables | undefined;
  #opening: Promise<LedgerTables> | undefined;
  #moving: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #restMs = FIRST_REST_MS;
  /** The last rule about what is forgotten that the log and what waits have followed. */
  #rule = 0;
  #appendedMs = 0;
  #isClosed = false;
  /** Problems that go on are told once. */
  readonly #told = new Set<string>();

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    const nothing = memoryTables();
    this.reader = readerOf({
      tables: () => this.#tables ?? nothing,
      unbooked: () => [...deps.others(), { rule: this.#rule, items: this.#waiting }],
      ...(deps.addFormer !== undefined && { addFormer: deps.addFormer }),
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
          "curlew:request:paused": (record) => this.#open.paused(record),
          "curlew:request:finished": (record) => this.#end(record),
          "curlew:request:failed": (record) => this.#end(record),
          "curlew:run:abandoned": (run) => this.#abandon(run),
        },
        deps.onProblem,
      ),
      deps.clock.every(TOUCH_EVERY_MS, () => this.#touch()),
    ];
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
    // What is left is recovered from the log by the next process.
    if (this.#open.size === 0 && this.#waiting.length === 0) this.#deps.log?.end();
    else this.#deps.log?.leave();
    await this.#tables?.close();
  }

  #receive(record: RequestRecord): void {
    const request = this.#open.receive(record);
    if (request === undefined) return;
    const line = this.#line;
    line.clear();
    line.raw("r\t");
    line.raw(request.key);
    line.raw("\t");
    writeReceived(line, record);
    line.raw("\n");
    this.#append(line.bytes, line.length);
  }

  #end(record: RequestRecord): void {
    const { clock, keepsTexts } = this.#deps;
    const request = this.#open.end(record);
    if (request?.isForgotten === true) return;
    const entry = entryOf(record, record.endedMs ?? clock.now());
    const peaks = this.#open.takePeaks();
    const key = request?.key ?? this.#open.newKey(record);
    const line = this.#line;
    line.clear();
    line.raw("e\t");
    const textStart = line.length;
    writeEntry(line, entry);
    const text = line.copy(textStart, line.length);
    line.raw("\t");
    const detailStart = line.length;
    line.raw(key);
    line.raw("\t");
    writeDetail(line, record, keepsTexts, peaks);
    line.raw("\n");
    const detailLine = line.copy(detailStart, line.length);
    const { openRequests, openRuns } = peaks;
    this.#wait({ type: "ended", key, entry, text, detailLine, openRequests, openRuns });
    this.#append(line.bytes, line.length);
    // Its line is in the log already.
    if (request?.abandoned !== undefined) this.#wait(request.abandoned);
  }

  #abandon({ requestId, reason, usage }: AbandonedRun): void {
    const tokens = countedTokens(usage);
    if (tokens === null) return;
    const { key, request } = this.#open.abandon(requestId);
    const item: AbandonedItem = { type: "abandoned", key, requestId, reason, tokens };
    if (request === undefined) this.#wait(item);
    else request.abandoned = item;
    this.#append(Buffer.from(itemLine(item)));
  }

  #wait(item: LogItem): void {
    if (this.#waiting.length >= MAX_WAITING && this.#moving === undefined) {
      this.#waiting.shift();
      this.#tellOnce(
        "dropped",
        new Error("The ledger could not be written for so long that requests are left out of it."),
      );
    }
    this.#waiting.push(item);
    this.#stopTimer ??= this.#deps.clock.after(MOVE_AFTER_MS, () => this.#moveSoon());
  }

  /** Appends a line to the log. What it says is in memory already, so a log that is begun here has it. */
  #append(line: Buffer, length = line.length): void {
    const { log, clock } = this.#deps;
    if (log === undefined) return;
    const nowMs = clock.elapsed();
    const isQuiet = nowMs - this.#appendedMs > QUIET_MS;
    this.#appendedMs = nowMs;
    try {
      if (log.path === undefined || (isQuiet && !log.isInPlace())) this.#beginLog(log);
      else log.append(line, length);
      if (!log.isTorn) this.#told.delete("log");
    } catch (problem) {
      this.#tellOnce("log", problem);
    }
  }

  #beginLog(log: IntentLog): void {
    log.begin(this.#rule, this.#lines());
  }

  *#lines(): IterableIterator<string> {
    for (const { key, record, isForgotten, abandoned } of this.#open.values()) {
      if (isForgotten) continue;
      yield receivedLine(key, receivedText(record));
      if (abandoned !== undefined) yield itemLine(abandoned);
    }
    for (const item of this.#waiting) yield itemLine(item);
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
      if (rules.length > 0) this.#follow(rules);
      await setImmediate();
    } while (this.#waiting.length > 0);
    this.#told.delete("tables");
    this.#restMs = FIRST_REST_MS;
    this.#tidyLog();
  }

  /** Returns the rules that are new. */
  #book(view: View, batch: readonly LogItem[]): ForgetRule[] {
    const rules = rulesAfter(view, this.#rule);
    const booking = new Booking(view, this.#spans);
    for (const item of unforgotten(rules, batch)) booking.book(item);
    booking.finish();
    return rules;
  }

  /** Forgets what the owner wants forgotten, in memory and in the log. */
  #follow(rules: readonly ForgetRule[]): void {
    this.#waiting = [...unforgotten(rules, this.#waiting)];
    this.#open.forget(rules);
    this.#rule = rules.at(-1)?.number ?? this.#rule;
    this.#tryLog((log) => {
      if (log.path !== undefined) this.#beginLog(log);
    });
  }

  /** Keeps the log small, and mends it where something could not be appended or somebody has deleted it. */
  #tidyLog(): void {
    this.#tryLog((log) => {
      if (log.path === undefined) return;
      const maxBytes = this.#waiting.length === 0 ? MAX_LOG_BYTES : MAX_UNMOVED_BYTES;
      if (!log.isInPlace() || log.isTorn || log.bytes > maxBytes) this.#beginLog(log);
      else if (this.#open.size === 0 && this.#waiting.length === 0) log.empty();
    });
  }

  #touch(): void {
    if (this.#open.size === 0 && this.#waiting.length === 0) return;
    this.#tryLog((log) => log.touch(this.#deps.clock.now()));
    // A rule about what is forgotten may have come, though nothing has ended.
    if (this.#tables !== undefined && this.#stopTimer === undefined) this.#moveSoon();
  }

  #tryLog(act: (log: IntentLog) => void): void {
    const { log } = this.#deps;
    if (log === undefined) return;
    try {
      act(log);
    } catch (problem) {
      this.#tellOnce("log", problem);
    }
  }

  #tellOnce(what: string, problem: unknown): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#deps.onProblem(problem);
  }
}
