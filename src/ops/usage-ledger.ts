import type { Clock } from "../clock.js";
import type { Usage } from "../turn/event.js";
import { addCounts, noUsage, type RunningCounts } from "./usage-counts.js";
import { UsageDays } from "./usage-days.js";

const WRITE_EVERY_MS = 1_000;
const MAX_NAME_LENGTH = 200;

interface LedgerDeps {
  readonly folder: string;
  readonly clock: Pick<Clock, "now" | "after">;
  /** Counts that could not be written are tried again with the next ones. */
  readonly onProblem: (problem: unknown) => void;
}

/** The usage ledger: what went through the gateway, on disk at most a second later. */
export class UsageLedger {
  readonly #days: UsageDays;
  readonly #deps: LedgerDeps;
  #waiting = new Map<string, RunningCounts>();
  #stopTimer: (() => void) | undefined;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#days = new UsageDays(deps.folder);
    this.#tryTo(() => this.#days.tidy(deps.clock.now()));
  }

  reply(model: string, { isWarm }: { isWarm: boolean }): void {
    const counts = this.#countsOf(model);
    if (isWarm) counts.warmReplies++;
    else counts.coldReplies++;
  }

  /** Called once for each turn, however many replies it took. */
  turn(model: string, usage: Usage): void {
    const counts = this.#countsOf(model);
    counts.turns++;
    if (usage.estimated) counts.estimatedTurns++;
    addCounts(counts, usage);
  }

  close(): void {
    this.#write();
  }

  /** The counts of a model that wait for the next write. */
  #countsOf(model: string): RunningCounts {
    const name = model.slice(0, MAX_NAME_LENGTH);
    const counts = this.#waiting.get(name) ?? { ...noUsage };
    this.#waiting.set(name, counts);
    this.#stopTimer ??= this.#deps.clock.after(WRITE_EVERY_MS, () => this.#write());
    return counts;
  }

  #write(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#waiting.size === 0) return;
    this.#tryTo(() => {
      this.#days.append(this.#deps.clock.now(), this.#waiting);
      this.#waiting = new Map();
    });
  }

  #tryTo(act: () => void): void {
    try {
      act();
    } catch (problem) {
      this.#deps.onProblem(problem);
    }
  }
}
