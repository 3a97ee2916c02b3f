import type { Clock } from "../../../system/clock.js";
import { GatewayError } from "../../../turn/error.js";
import { stopping } from "../../closed.js";
import type { AcpProcess } from "./process.js";

const TICK_MS = 1_000;

export const defaultAcpLimits = {
  /** All parallel calls have come when no further call comes for this long. */
  quietMs: 75,
  /** A turn ends when the CLI sends nothing for this long while the client has no calls to run. */
  noProgressMs: 120_000,
  cancelMs: 4_000,
  maxProcesses: 4,
  idleMs: 10 * 60_000,
  /** After this many sessions, or this long, a process is replaced, because it may accumulate memory. */
  maxSessions: 200,
  maxAgeMs: 60 * 60_000,
  startMs: 20_000,
  maxLiveSessions: 100,
  /** The time after which an unanswered call is reported as still running. */
  stillRunningMs: 50_000,
};

export type AcpLimits = Readonly<typeof defaultAcpLimits>;

/** Properties that a process has from its start and cannot change. */
export interface ProcessPurpose {
  readonly model: string;
  readonly workspace: string | undefined;
}

interface AcpPoolDeps {
  readonly open: (purpose: ProcessPurpose) => Promise<AcpProcess>;
  readonly clock: Clock;
  readonly limits: Pick<AcpLimits, "maxProcesses" | "idleMs" | "maxSessions" | "maxAgeMs">;
}

interface Warm {
  readonly ready: Promise<AcpProcess>;
  process: AcpProcess | undefined;
  readonly startedMs: number;
  lastUsedMs: number;
  sessions: number;
}

/** Keeps processes running between turns, because starting one takes seconds. */
export class AcpPool {
  readonly #deps: AcpPoolDeps;
  readonly #warm = new Map<string, Warm>();
  /** All processes, including those that take no new sessions and have not ended yet. */
  readonly #all = new Set<AcpProcess>();
  readonly #stopTicking: () => void;
  #isClosed = false;

  constructor(deps: AcpPoolDeps) {
    this.#deps = deps;
    this.#stopTicking = deps.clock.every(TICK_MS, () => this.#endIdle());
  }

  /** A process for one more session, which the caller must release. @throws GatewayError when none can be started */
  async take(purpose: ProcessPurpose): Promise<{ process: AcpProcess; release: () => void }> {
    const key = JSON.stringify([purpose.model, purpose.workspace]);
    const known = this.#warm.get(key);
    const { limits, clock } = this.#deps;
    const isWorn =
      known?.process !== undefined && // otherwise it is still starting
      (known.process.isRetired ||
        known.sessions >= limits.maxSessions ||
        clock.now() - known.startedMs >= limits.maxAgeMs);
    if (isWorn) this.#drop(key, known);
    const warm = this.#warm.get(key) ?? this.#open(key, purpose);
    warm.sessions++;
    warm.lastUsedMs = clock.now();
    const process = await warm.ready;
    return { process, release: process.hold() };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTicking();
    await Promise.allSettled([...this.#warm.values()].map(({ ready }) => ready));
    this.#warm.clear();
    await Promise.all([...this.#all].map((process) => process.stop()));
  }

  #open(key: string, purpose: ProcessPurpose): Warm {
    if (this.#isClosed) throw stopping();
    this.#makeRoom();
    const nowMs = this.#deps.clock.now();
    const ready = this.#deps.open(purpose);
    const warm: Warm = { ready, process: undefined, startedMs: nowMs, lastUsedMs: nowMs, sessions: 0 };
    this.#warm.set(key, warm);
    ready.then(
      (process) => {
        warm.process = process;
        this.#all.add(process);
        process.onOver(() => void process.stop().then(() => this.#all.delete(process)));
      },
      () => this.#drop(key, warm),
    );
    return warm;
  }

  #makeRoom(): void {
    const { maxProcesses } = this.#deps.limits;
    if (this.#warm.size < maxProcesses) return;
    const idle = [...this.#warm].filter(([, { process }]) => process !== undefined && !process.isHeld);
    const [oldest] = idle.sort(([, one], [, other]) => one.lastUsedMs - other.lastUsedMs);
    if (oldest === undefined) {
      const text = `All ${maxProcesses} processes of the Cursor CLI are busy with other models. Try again in a moment.`;
      throw new GatewayError("overloaded", text, { isRetryable: true, isOwnRefusal: true });
    }
    this.#drop(...oldest);
  }

  #endIdle(): void {
    const { limits, clock } = this.#deps;
    const nowMs = clock.now();
    for (const [key, warm] of this.#warm) {
      if (warm.process?.isHeld === true) warm.lastUsedMs = nowMs;
      else if (warm.process !== undefined && nowMs - warm.lastUsedMs >= limits.idleMs) this.#drop(key, warm);
    }
  }

  #drop(key: string, warm: Warm): void {
    if (this.#warm.get(key) === warm) this.#warm.delete(key);
    warm.process?.retire();
  }
}
