import type { Clock } from "../clock.js";
import type { IntentLog } from "./intent-log.js";

/** A log that has requests open is written anew when it is longer than this, without those that were moved. */
const MAX_LOG_BYTES = 256 * 1024;
/** Without a move, the log grows up to this. It is more than what is held in memory. */
const MAX_UNMOVED_BYTES = 16 * 1024 * 1024;
/** After such a pause, somebody may have taken the log for one without an owner. */
const QUIET_MS = 60_000;

interface KeeperDeps {
  /** Undefined for a ledger that ends with the process. */
  readonly log: IntentLog | undefined;
  readonly clock: Clock;
  /** The lines of all that is not in the tables yet. */
  readonly unmoved: () => Iterable<string>;
  /** Takes a problem, once for as long as it goes on. */
  readonly onProblem: (problem: unknown) => void;
}

/** Keeps the log of the process small and complete. What cannot be written there harms nobody while the process lives. */
export class LogKeeper {
  readonly #deps: KeeperDeps;
  /** The last rule about what is forgotten that the log has followed. */
  #rule = 0;
  #appendedMs = 0;
  #isTold = false;

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  get rule(): number {
    return this.#rule;
  }

  /** Appends a line. What it says is in memory already, so a log that is begun here has it. */
  append(line: Buffer, length = line.length): void {
    const { log, clock } = this.#deps;
    if (log === undefined) return;
    const nowMs = clock.elapsed();
    const isQuiet = nowMs - this.#appendedMs > QUIET_MS;
    this.#appendedMs = nowMs;
    try {
      if (log.path === undefined || (isQuiet && !log.isInPlace())) this.#begin(log);
      else log.append(line, length);
      if (!log.isTorn) this.#isTold = false;
    } catch (problem) {
      this.#tell(problem);
    }
  }

  /** Writes the log anew, without what the rule wants forgotten. */
  follow(rule: number): void {
    this.#rule = rule;
    this.#try((log) => {
      if (log.path !== undefined) this.#begin(log);
    });
  }

  /** Mends the log where something could not be appended or somebody has deleted it, and leaves out what was moved. */
  tidy({ hasOpen, hasWaiting }: { hasOpen: boolean; hasWaiting: boolean }): void {
    this.#try((log) => {
      if (log.path === undefined) return;
      const maxBytes = hasWaiting ? MAX_UNMOVED_BYTES : MAX_LOG_BYTES;
      if (!log.isInPlace() || log.isTorn || log.bytes > maxBytes) this.#begin(log);
      else if (!hasOpen && !hasWaiting) log.empty();
    });
  }

  touch(): void {
    this.#try((log) => log.touch(this.#deps.clock.now()));
  }

  /** What is left in the log is recovered by the next process. */
  close({ isMoved }: { isMoved: boolean }): void {
    this.#try((log) => (isMoved ? log.end() : log.leave()));
  }

  #begin(log: IntentLog): void {
    log.begin(this.#rule, this.#deps.unmoved());
  }

  #try(act: (log: IntentLog) => void): void {
    const { log } = this.#deps;
    if (log === undefined) return;
    try {
      act(log);
    } catch (problem) {
      this.#tell(problem);
    }
  }

  #tell(problem: unknown): void {
    if (!this.#isTold) this.#deps.onProblem(problem);
    this.#isTold = true;
  }
}
