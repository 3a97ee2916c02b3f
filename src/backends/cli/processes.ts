import type { Clock } from "../../clock.js";
import { CliProcess, type ProcessSpec } from "./process.js";

/** All that run now. */
export class Processes {
  readonly #clock: Clock;
  readonly #running = new Set<CliProcess>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Throws where the system takes no such command line at all. */
  start(spec: ProcessSpec): CliProcess {
    const started = new CliProcess(spec, this.#clock);
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    return started;
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map((each) => each.stop()));
  }

  /** For the moment in which our own process ends and nothing can be waited for. */
  killAll(): void {
    for (const each of this.#running) each.kill();
  }
}
