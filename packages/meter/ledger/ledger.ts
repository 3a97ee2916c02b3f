import { randomBytes } from "node:crypto";
import { BoundedMap } from "@curlew/gateway/turn/bounded-map.js";
import { type AbandonedRun, type Listeners, listen, type RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { type ForgetRule, isForgotten, withEstimate } from "./book.js";
import { type CountedTokens, countedTokens, dayText, type LedgerReader, sumOfTokens } from "./entry.js";
import { type Abandoned, detailOf, entryOf, nameOf, sortable } from "./line.js";
import { FolderReader } from "./reader.js";
import { startUpkeep } from "./upkeep.js";
import { DayWriter, type WriterOptions } from "./writer.js";

const TOUCH_EVERY_MS = 60_000;
/** Never reached in practice: the gateway limits parked runs itself. */
const MAX_WAITING_TURNS = 10_000;

/** A ledger that is being written. */
export type OpenLedger = Pick<Ledger, "reader" | "openRecords" | "close">;

export interface LedgerOptions extends WriterOptions {
  /** Id of the gateway whose requests are recorded. */
  readonly gateway: string;
  readonly keptDays: number;
  readonly keepsTexts: boolean;
}

/** Starts recording the requests of a gateway. Creates no file before the first line. */
export function openLedger(options: LedgerOptions): OpenLedger {
  return new Ledger(options);
}

/** A request that was received and has not ended. */
interface OpenRequest {
  readonly key: string;
  /** True while a run at Cursor is active, not waiting for the client. */
  hasRun: boolean;
  /** Set if its run was given up before the request ended. */
  abandoned: Abandoned | undefined;
  /** The owner deleted it meanwhile. */
  isForgotten: boolean;
}

/** A turn whose run waits for the client's results. */
interface WaitingTurn {
  /** The request that left it waiting. */
  readonly key: string;
  readonly atMs: number;
  readonly round: number;
  /** Our own estimate for all rounds so far. */
  readonly tokens: CountedTokens;
}

/** Records every request of one gateway, one line per event. */
class Ledger {
  readonly reader: LedgerReader;
  readonly #options: Pick<LedgerOptions, "clock" | "keepsTexts">;
  readonly #writer: DayWriter;
  readonly #stopUpkeep: (() => Promise<void>) | undefined;
  readonly #unique = randomBytes(5).toString("hex");
  #count = 0;
  readonly #open = new Map<RequestRecord, OpenRequest>();
  /** By turn id. */
  readonly #turns = new BoundedMap<string, WaitingTurn>(MAX_WAITING_TURNS);
  /** Keys of requests whose run waits for results, by record: a client may reuse one id, and the run keeps its record. */
  readonly #paused = new WeakMap<RequestRecord, string>();
  #runs = 0;
  #peakRequests = 0;
  #peakRuns = 0;
  readonly #stops: (() => void)[];

  constructor(options: LedgerOptions) {
    const { folder, clock, gateway, keptDays, onProblem } = options;
    this.#options = options;
    const writer = new DayWriter({ folder, clock, onProblem });
    const reader = new FolderReader({ folder, now: clock.now, own: () => writer.files, onProblem });
    this.#writer = writer;
    this.reader = reader;
    const forget = (rules: readonly ForgetRule[]) => this.#forget(rules);
    if (folder !== undefined)
      this.#stopUpkeep = startUpkeep({ folder, keptDays, clock, writer, reader, forget, onProblem });
    const listeners: Listeners = {
      "curlew:request:received": (record) => this.#receive(record),
      "curlew:request:opened": (record) => this.#start(record, 1),
      "curlew:request:resumed": (record) => this.#start(record, 0),
      "curlew:request:paused": (record) => this.#pause(record),
      "curlew:request:finished": (record) => this.#end(record),
      "curlew:request:failed": (record) => this.#end(record),
      "curlew:run:abandoned": (run) => this.#abandon(run),
    };
    this.#stops = [listen(gateway, listeners, onProblem), clock.every(TOUCH_EVERY_MS, () => writer.touch())];
  }

  /** The open requests of this gateway, unordered. */
  openRecords(): readonly RequestRecord[] {
    return [...this.#open.keys()];
  }

  /** Stops recording open requests that the owner has deleted. */
  #forget(rules: readonly ForgetRule[]): void {
    for (const [{ startedMs: atMs, client }, request] of this.#open) {
      if (isForgotten(rules, { atMs, client: nameOf(client) })) request.isForgotten = true;
    }
  }

  async close(): Promise<void> {
    await this.#stopUpkeep?.();
    for (const stop of this.#stops) stop();
    this.#writer.close();
  }

  #receive(record: RequestRecord): void {
    if (this.#open.has(record)) return;
    const key = this.#newKey(record);
    this.#open.set(record, { key, hasRun: false, abandoned: undefined, isForgotten: false });
    this.#peakRequests = Math.max(this.#peakRequests, this.#open.size);
    const { requestId: id, startedMs: atMs, client: name, isNamedKey, caller, dialect, askedModel } = record;
    const client = nameOf(name);
    const model = nameOf(askedModel);
    this.#writer.append(atMs, { t: "received", key, id, atMs, client, isNamedKey, caller, dialect, model });
  }

  /** A run was opened, or a waiting one (already counted) continues. */
  #start(record: RequestRecord, runs: 0 | 1): void {
    const request = this.#open.get(record);
    if (request === undefined || request.hasRun) return;
    request.hasRun = true;
    this.#runs += runs;
    this.#peakRuns = Math.max(this.#peakRuns, this.#runs);
    if (request.isForgotten) return;
    const { account, turnId, round, bringsWords, side = null, thread = null, plannedTokens } = record;
    const { backend = null, continuity = null } = record;
    this.#writer.append(record.startedMs, {
      t: "opened",
      key: request.key,
      account,
      turnId,
      round,
      bringsWords,
      side,
      thread,
      model: nameOf(record.model ?? record.askedModel),
      backend,
      continuity,
      runs,
      input: plannedTokens,
      cached: record.plannedCachedTokens,
    });
  }

  /** The run outlives its request. Records its tokens so far, in case they are all that is ever known. */
  #pause(record: RequestRecord): void {
    const request = this.#open.get(record);
    if (request === undefined) return;
    request.hasRun = false;
    const { key } = request;
    const { turnId, round, startedMs: atMs } = record;
    this.#paused.set(record, key);
    const taken = countedTokens(record.usage);
    if (taken === null || request.isForgotten) return;
    const before = this.#turns.get(turnId);
    const tokens = { ...(before === undefined ? taken : sumOfTokens(before.tokens, taken)), estimated: true };
    const after = this.#goOn(turnId, atMs);
    this.#turns.set(turnId, { key, atMs, round, tokens });
    this.#writer.append(atMs, { t: "paused", key, after, tokens });
  }

  #end(record: RequestRecord): void {
    const request = this.#open.get(record);
    this.#open.delete(record);
    if (request?.hasRun === true) this.#runs = Math.max(0, this.#runs - 1);
    const { turnId, round, startedMs: atMs } = record;
    const { isForgotten = false, abandoned } = request ?? {};
    const waiting = this.#turns.get(turnId);
    const after = waiting !== undefined && waiting.round < round ? this.#goOn(turnId, atMs) : undefined;
    if (isForgotten) return;
    const entry = entryOf(record, record.endedMs ?? this.#options.clock.now());
    this.#writer.append(atMs, {
      t: "ended",
      key: request?.key ?? this.#newKey(record),
      after,
      isAlone: request === undefined ? true : undefined,
      entry: abandoned === undefined ? entry : withEstimate(entry, abandoned.tokens, abandoned.reason),
      detail: detailOf(record, this.#options.keepsTexts),
      openRequests: this.#peakRequests,
      openRuns: this.#peakRuns,
    });
    this.#peakRequests = this.#open.size;
    this.#peakRuns = this.#runs;
  }

  #abandon({ request: record, reason, usage }: AbandonedRun): void {
    this.#runs = Math.max(0, this.#runs - 1);
    const request = this.#open.get(record);
    const key = request?.key ?? this.#paused.get(record);
    const tokens = countedTokens(usage);
    if (tokens === null || key === undefined) return;
    const line: Abandoned = { t: "abandoned", key, reason, tokens };
    if (request !== undefined) request.abandoned = line;
    if (this.#turns.get(record.turnId)?.key === key) this.#turns.delete(record.turnId);
    if (request?.isForgotten !== true) this.#writer.append(record.startedMs, line);
  }

  /** A waiting run continues. Returns the key of the request that left it; if that has another day, writes `moved` to its file. */
  #goOn(turnId: string, atMs: number): string | undefined {
    const waiting = this.#turns.get(turnId);
    this.#turns.delete(turnId);
    if (waiting === undefined || dayText(waiting.atMs) === dayText(atMs)) return waiting?.key;
    this.#writer.append(waiting.atMs, { t: "moved", key: waiting.key });
    return undefined;
  }

  #newKey({ startedMs }: RequestRecord): string {
    return sortable(startedMs) + this.#unique + (this.#count++).toString(36).padStart(8, "0");
  }
}
