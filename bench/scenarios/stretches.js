import { openSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

/**
 * How long this process computes between two turns of its event loop, as CPU time of the main thread. Time in which the process
 * had to wait for others on a busy machine does not count. The kernel's counter moves with its clock, by up to 4 ms at a time.
 */
export class Stretches {
  longestMs = {};
  #file = process.platform === "linux" ? openSync(`/proc/self/task/${process.pid}/schedstat`, "r") : undefined;
  #text = Buffer.alloc(128);

  /** Does the work, and notes its longest stretch under the name. */
  async during(name, work) {
    let isDone = false;
    const working = work().finally(() => {
      isDone = true;
    });
    this.longestMs[name] = 0;
    for (let beforeMs = this.#cpuMs(); !isDone; ) {
      await setImmediate();
      const nowMs = this.#cpuMs();
      this.longestMs[name] = Math.max(this.longestMs[name], nowMs - beforeMs);
      beforeMs = nowMs;
    }
    return working;
  }

  #cpuMs() {
    if (this.#file === undefined) {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    }
    const bytes = readSync(this.#file, this.#text, 0, this.#text.length, 0);
    return Number(this.#text.toString("latin1", 0, bytes).split(" ")[0]) / 1_000_000;
  }
}
