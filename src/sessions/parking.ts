import type { BackendName, Exchange } from "../backends/backend.js";
import type { Clock } from "../clock.js";
import type { LoopGuard } from "../tools/loop-guard.js";
import type { Told } from "./reminders.js";

const TICK_MS = 500;
/** How many calls we remember the fate of, only to say why a reply was cold. */
const MAX_FATES = 10_000;

/** Why a parked run is not there any more. */
export type Fate = "expired" | "raced" | "lost";

export interface ParkedRun {
  readonly exchange: Exchange;
  /** Where it runs. */
  readonly backend: BackendName;
  readonly owner: string;
  readonly conversationId: string;
  /** The reminders that the model knows of. */
  readonly told: Told;
  /** The transcripts that the client may come back with; another one means that the history was edited. */
  readonly keys: ReadonlySet<string>;
  /** The same whatever the settings: by these, other settings are told from another history. */
  readonly bareKeys: ReadonlySet<string>;
  /** Calls that have passed by on their way to the client, whether it was told of them already or will be. */
  readonly seenCalls: ReadonlySet<string>;
  readonly guard: LoopGuard;
}

interface Place {
  run: ParkedRun;
  callIds: readonly string[];
  leaseEndsMs: number;
}

/** Runs that wait for the client, each found by any of its open calls. Only their own owner can find them. */
export class ParkingLot {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #places = new Map<string, Place>();
  readonly #fates = new Map<string, Fate>();
  readonly #stopTicking: () => void;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#stopTicking = clock.every(TICK_MS, () => this.#expire());
  }

  /** Runs that are parked now. */
  get size(): number {
    return new Set(this.#places.values()).size;
  }

  park(run: ParkedRun): void {
    const callIds = run.exchange.openCalls.map(({ id }) => place(run.owner, id));
    const entry = { run, callIds, leaseEndsMs: this.#clock.elapsed() + this.#leaseMs };
    for (const id of callIds) this.#places.set(id, entry);
    run.exchange.onOver(() => {
      if (callIds.some((id) => this.#places.get(id) === entry)) this.#remove(entry, "lost");
    });
  }

  /** The run that one of these calls belongs to, left where it is. */
  find(owner: string, callIds: readonly string[]): ParkedRun | undefined {
    const id = callIds.find((each) => this.#places.has(place(owner, each)));
    return id === undefined ? undefined : this.#places.get(place(owner, id))?.run;
  }

  /** Takes the run that one of these calls belongs to: whoever comes second does not get it. */
  claim(owner: string, callIds: readonly string[]): ParkedRun | undefined {
    for (const id of callIds) {
      const found = this.#places.get(place(owner, id));
      if (found === undefined) continue;
      this.#remove(found, "raced");
      return found.run;
    }
    return undefined;
  }

  fate(owner: string, callIds: readonly string[]): Fate | undefined {
    for (const id of callIds) {
      const fate = this.#fates.get(place(owner, id));
      if (fate !== undefined) return fate;
    }
    return undefined;
  }

  close(): void {
    this.#stopTicking();
    this.#places.clear();
  }

  #expire(): void {
    const nowMs = this.#clock.elapsed();
    for (const entry of new Set(this.#places.values())) {
      if (entry.leaseEndsMs > nowMs) continue;
      this.#remove(entry, "expired");
      entry.run.exchange.close("lease-expired");
    }
  }

  #remove(entry: Place, fate: Fate): void {
    for (const id of entry.callIds) {
      this.#places.delete(id);
      this.#fates.delete(id); // set anew, so that the oldest is first
      this.#fates.set(id, fate);
    }
    for (const id of this.#fates.keys()) {
      if (this.#fates.size <= MAX_FATES) break;
      this.#fates.delete(id);
    }
  }
}

function place(owner: string, callId: string): string {
  return `${owner} ${callId}`;
}
