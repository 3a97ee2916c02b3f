import type { BackendName, Exchange, RequestedModel } from "../backends/backend.js";
import type { Clock } from "../clock.js";
import type { LoopGuard } from "../tools/loop-guard.js";
import type { KnownReminders } from "./reminders.js";

const TICK_MS = 500;
/**
 * How long a run waits whose only tool was forced on the model. Most clients that do so (instructor, Pydantic AI, the objects
 * of the AI SDK) want the arguments as their answer and never send a result; one that does run the tool comes back soon.
 */
const FORCED_LEASE_MS = 60_000;
/**
 * What the requests that began all parked runs may have in sum: an upstream may ask a run again for what it was told, so a run
 * keeps that, and takes two to three times its size.
 */
const MAX_PARKED_BYTES = 128 * 1024 * 1024;
/** How many calls we remember the fate of, only to say why a reply was cold. */
const MAX_FATES = 10_000;

/** Why a parked run is not there any more. */
export type Fate = "expired" | "raced" | "lost";

/** All that is kept of a run between two requests: the exchange itself, and data. */
export interface ParkedRun {
  readonly exchange: Exchange;
  readonly backend: BackendName;
  /** What the newest request called the model, and which one that is: the same words need not be looked up again. */
  readonly askedModel: string;
  readonly askedEffort: string | undefined;
  readonly model: RequestedModel & { readonly shownAs: string; readonly warnings: readonly string[] };
  readonly owner: string;
  readonly conversationId: string;
  /** The reminders that the model knows of. */
  readonly knownReminders: KnownReminders;
  /** The transcripts that the client may come back with; another one means that the history was edited. */
  readonly keys: ReadonlySet<string>;
  /** The same whatever the settings: by these, other settings are told from another history. */
  readonly bareKeys: ReadonlySet<string>;
  /** Calls that have passed by on their way to the client, whether it was told of them already or will be. */
  readonly seenCalls: ReadonlySet<string>;
  readonly guard: LoopGuard;
  /** Whether the model had no choice but to call the one tool that it called. */
  readonly isForced: boolean;
  /** Of the request that began it. */
  readonly bytes: number;
}

interface LotSettings {
  readonly leaseMs: number;
  readonly maxParkedRuns: number;
}

interface Entry {
  run: ParkedRun;
  callIds: readonly string[];
  leaseEndsMs: number;
}

/** Runs that wait for the client, each found by any of its open calls. Only their own owner can find them. */
export class ParkingLot {
  /** Runs whose lease was cut short because there were too many. */
  letGo = 0;
  readonly #clock: Clock;
  readonly #settings: LotSettings;
  readonly #byCall = new Map<string, Entry>();
  /** The oldest first. */
  readonly #entries = new Map<ParkedRun, Entry>();
  #bytes = 0;
  readonly #fates = new Map<string, Fate>();
  readonly #stopTicking: () => void;

  constructor(clock: Clock, settings: LotSettings) {
    this.#clock = clock;
    this.#settings = settings;
    this.#stopTicking = clock.every(TICK_MS, () => this.#expire());
  }

  get size(): number {
    return this.#entries.size;
  }

  park(run: ParkedRun): void {
    const callIds = run.exchange.openCalls.map(({ id }) => callKey(run.owner, id));
    const { leaseMs, maxParkedRuns } = this.#settings;
    const ownLeaseMs = run.isForced ? Math.min(leaseMs, FORCED_LEASE_MS) : leaseMs;
    const entry = { run, callIds, leaseEndsMs: this.#clock.elapsed() + ownLeaseMs };
    for (const id of callIds) this.#byCall.set(id, entry);
    this.#entries.set(run, entry);
    this.#bytes += run.bytes;
    run.exchange.onOver(() => {
      if (this.#entries.get(run) === entry) this.#remove(entry, "lost");
    });
    while (this.#entries.size > maxParkedRuns || (this.#bytes > MAX_PARKED_BYTES && this.#entries.size > 1)) {
      this.#letGoOne();
    }
  }

  /** The run that one of these calls belongs to, left where it is. */
  find(owner: string, callIds: readonly string[]): ParkedRun | undefined {
    return firstOf(this.#byCall, owner, callIds)?.run;
  }

  /** Takes a run out. False when it is not there any more: whoever comes second does not get it. */
  claim(run: ParkedRun): boolean {
    const entry = this.#entries.get(run);
    if (entry === undefined) return false;
    this.#remove(entry, "raced");
    return true;
  }

  fate(owner: string, callIds: readonly string[]): Fate | undefined {
    return firstOf(this.#fates, owner, callIds);
  }

  close(): void {
    this.#stopTicking();
    this.#byCall.clear();
    this.#entries.clear();
    this.#bytes = 0;
  }

  /** The one whose lease would end first: of runs that wait equally long, the oldest. Its state is kept, as at the end of a lease. */
  #letGoOne(): void {
    let first: Entry | undefined;
    for (const entry of this.#entries.values())
      if (first === undefined || entry.leaseEndsMs < first.leaseEndsMs) first = entry;
    if (first === undefined) return;
    this.letGo++;
    this.#endLease(first);
  }

  #expire(): void {
    const nowMs = this.#clock.elapsed();
    for (const entry of this.#entries.values()) if (entry.leaseEndsMs <= nowMs) this.#endLease(entry);
  }

  #endLease(entry: Entry): void {
    this.#remove(entry, "expired");
    entry.run.exchange.close("lease-expired");
  }

  #remove(entry: Entry, fate: Fate): void {
    if (this.#entries.delete(entry.run)) this.#bytes -= entry.run.bytes;
    for (const id of entry.callIds) {
      this.#byCall.delete(id);
      this.#fates.delete(id); // set anew, so that the oldest is first
      this.#fates.set(id, fate);
    }
    for (const id of this.#fates.keys()) {
      if (this.#fates.size <= MAX_FATES) break;
      this.#fates.delete(id);
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
