import type { BackendName, Carriage, Exchange, RequestedModel } from "../../backends/backend.js";
import type { Clock } from "../../system/clock.js";
import { BoundedMap } from "../../turn/bounded-map.js";
import type { AbandonedRun, RequestRecord } from "../../turn/events/channels.js";
import type { ToolDefinition } from "../../turn/turn.js";
import type { LoopGuard } from "../tools/loop-guard.js";
import type { SeenSettings } from "./positions.js";
import type { KnownReminders } from "./reminders.js";

const TICK_MS = 500;
/**
 * For a client that forced its only tool: most want the arguments as their answer, and others return soon. It cannot be told which:
 * an agent with one tool looks the same, and closing its run at once would cost it another run for each call.
 */
const FORCED_LEASE_MS = 60_000;
/** For a forced call that the client is known to want as the answer, such as a verdict on a tool call: no result follows. */
const ANSWER_LEASE_MS = 0;
/** The total size of the requests that started parked runs. A run keeps two to three times that, as Cursor may ask for it. */
const MAX_PARKED_BYTES = 128 * 1024 * 1024;
/** How many fates of calls are remembered. They only serve to say why a reply was cold. */
const MAX_FATES = 10_000;

export type Fate = "expired" | "raced" | "lost";

export interface ParkedRun {
  readonly exchange: Exchange;
  readonly backend: BackendName;
  /** The model and effort as the newest request named them: a request with the same names needs no lookup. */
  readonly askedModel: string;
  readonly askedEffort: string | undefined;
  readonly model: RequestedModel & { readonly shownAs: string; readonly warnings: readonly string[] };
  readonly owner: string;
  readonly conversationId: string;
  readonly lineage: string;
  readonly firstKey: string;
  readonly knownReminders: KnownReminders;
  /** The keys of transcripts that the client may send back. Another key means that the history was edited. */
  readonly keys: ReadonlySet<string>;
  /** The same keys without the settings. They distinguish other settings from another history. */
  readonly bareKeys: ReadonlySet<string>;
  /** Calls for the client that came from upstream, whether they were sent to it or held back. */
  readonly seenCalls: ReadonlySet<string>;
  /** What the results of its open calls can carry for the user. */
  readonly carriers: ReadonlyMap<string, Carriage>;
  readonly tools: readonly ToolDefinition[];
  readonly madeUnder: SeenSettings;
  readonly guard: LoopGuard;
  readonly isForced: boolean;
  readonly bytes: number;
  /** When its last reply ended, and which request that was. */
  readonly pausedMs: number;
  readonly pausedBy: RequestRecord;
}

export function carriersOf(exchange: Exchange): ReadonlyMap<string, Carriage> {
  return new Map(exchange.openCalls.map(({ id }) => [id, exchange.carriage(id)]));
}

export interface LotSettings {
  readonly leaseMs: number;
  /** How many runs may wait at once. Beyond that, one of the owner with the most is closed. */
  readonly maxParkedRuns: number;
}

/** Called when a run will never get the results that it waits for. */
type OnAbandoned = (run: ParkedRun, reason: AbandonedRun["reason"]) => void;

interface Entry {
  run: ParkedRun;
  callIds: readonly string[];
  leaseEndsMs: number;
  leaseEndsAtMs: number;
}

/** Runs that wait for the client. A run is found by any of its open calls, and only by its owner. */
export class ParkingLot {
  letGo = 0;
  readonly #clock: Clock;
  readonly #settings: LotSettings;
  readonly #onAbandoned: OnAbandoned;
  readonly #byCall = new Map<string, Entry>();
  /** In the order of parking, the oldest first. */
  readonly #entries = new Map<ParkedRun, Entry>();
  #bytes = 0;
  readonly #fates = new BoundedMap<string, Fate>(MAX_FATES);
  readonly #stopTicking: () => void;

  constructor(clock: Clock, settings: LotSettings, onAbandoned: OnAbandoned = () => {}) {
    this.#clock = clock;
    this.#settings = settings;
    this.#onAbandoned = onAbandoned;
    this.#stopTicking = clock.every(TICK_MS, () => this.#expire());
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The parked runs, for people to read. Times are times of the day. */
  waiting() {
    return Array.from(this.#entries.values(), ({ run, callIds, leaseEndsAtMs }) => ({
      request: run.pausedBy,
      model: run.model.shownAs,
      calls: callIds.length,
      pausedMs: run.pausedMs,
      leaseEndsMs: leaseEndsAtMs,
    }));
  }

  park(run: ParkedRun): void {
    const callIds = run.exchange.openCalls.map(({ id }) => callKey(run.owner, id));
    const { leaseMs, maxParkedRuns } = this.#settings;
    const forcedMs = run.pausedBy.side === undefined ? FORCED_LEASE_MS : ANSWER_LEASE_MS;
    const ownLeaseMs = run.isForced ? Math.min(leaseMs, forcedMs) : leaseMs;
    const [leaseEndsMs, leaseEndsAtMs] = [this.#clock.elapsed() + ownLeaseMs, this.#clock.now() + ownLeaseMs];
    const entry = { run, callIds, leaseEndsMs, leaseEndsAtMs };
    for (const id of callIds) this.#byCall.set(id, entry);
    this.#entries.set(run, entry);
    this.#bytes += run.bytes;
    this.#endClaims(run);
    run.exchange.onOver(() => {
      this.#endClaims(run);
      if (this.#entries.get(run) !== entry) return;
      this.#remove(entry, "lost");
      this.#onAbandoned(run, "lost");
    });
    while (this.#entries.size > maxParkedRuns) this.#letGoOne(() => 1);
    while (this.#bytes > MAX_PARKED_BYTES && this.#entries.size > 1) this.#letGoOne(({ bytes }) => bytes);
  }

  /** The run that one of these calls belongs to. It stays parked. */
  find(owner: string, callIds: readonly string[]): ParkedRun | undefined {
    return firstOf(this.#byCall, owner, callIds)?.run;
  }

  /** Until when a parked run waits, as a time of the day. */
  leaseEndOf(run: ParkedRun): number | undefined {
    return this.#entries.get(run)?.leaseEndsAtMs;
  }

  hasConversation(owner: string, conversationId: string): boolean {
    for (const run of this.#entries.keys()) {
      if (run.conversationId === conversationId && run.owner === owner) return true;
    }
    return false;
  }

  /** Takes a run out. Returns false when another request has already claimed it or it has ended. */
  claim(run: ParkedRun): boolean {
    const entry = this.#entries.get(run);
    if (entry === undefined) return false;
    this.#remove(entry, "raced");
    return true;
  }

  /** Takes a run out and closes it, because its client has abandoned it. Returns false when it is already gone. */
  giveUp(run: ParkedRun): boolean {
    const entry = this.#entries.get(run);
    if (entry !== undefined) this.#end(entry, "raced", "superseded");
    return entry !== undefined;
  }

  /** Closes the runs of a conversation, or all, at the owner's request. Returns how many there were. */
  stop(thread?: string): number {
    const stopped = [...this.#entries.values()].filter(
      ({ run }) => thread === undefined || run.pausedBy.thread === thread,
    );
    for (const entry of stopped) this.#end(entry, "lost", "stopped");
    return stopped.length;
  }

  fate(owner: string, callIds: readonly string[]): Fate | undefined {
    return firstOf(this.#fates, owner, callIds);
  }

  close(): void {
    this.#stopTicking();
    for (const run of this.#entries.keys()) this.#onAbandoned(run, "shutdown");
    this.#byCall.clear();
    this.#entries.clear();
    this.#bytes = 0;
  }

  /** Of the owner who holds the most, closes the run whose lease ends first. Its checkpoint is kept, as at the end of a lease. */
  #letGoOne(sizeOf: (run: ParkedRun) => number): void {
    const held = new Map<string, number>();
    for (const run of this.#entries.keys()) held.set(run.owner, (held.get(run.owner) ?? 0) + sizeOf(run));
    const most = Math.max(...held.values());
    const theirs = [...this.#entries.values()].filter(({ run }) => held.get(run.owner) === most);
    const [first] = theirs.sort((a, b) => a.leaseEndsMs - b.leaseEndsMs);
    if (first === undefined) return;
    this.letGo++;
    this.#end(first, "expired", "lease-expired");
  }

  #expire(): void {
    const nowMs = this.#clock.elapsed();
    for (const entry of this.#entries.values()) {
      if (entry.leaseEndsMs <= nowMs) this.#end(entry, "expired", "lease-expired");
    }
  }

  #end(entry: Entry, fate: Fate, reason: "superseded" | "stopped" | "lease-expired"): void {
    this.#remove(entry, fate);
    this.#onAbandoned(entry.run, reason);
    entry.run.exchange.close(reason);
  }

  /** The run is claimed no longer: later requests with results of its calls do not race. */
  #endClaims({ owner, seenCalls }: ParkedRun): void {
    for (const id of seenCalls) {
      const key = callKey(owner, id);
      if (this.#fates.get(key) === "raced") this.#fates.set(key, "lost");
    }
  }

  #remove(entry: Entry, fate: Fate): void {
    if (this.#entries.delete(entry.run)) this.#bytes -= entry.run.bytes;
    for (const id of entry.callIds) {
      if (this.#byCall.get(id) === entry) this.#byCall.delete(id);
      this.#fates.set(id, fate);
    }
  }
}

function firstOf<Value>(byCall: Map<string, Value>, owner: string, callIds: readonly string[]): Value | undefined {
  for (const id of callIds) {
    const value = byCall.get(callKey(owner, id));
    if (value !== undefined) return value;
  }
  return undefined;
}

function callKey(owner: string, callId: string): string {
  return `${owner} ${callId}`;
}
