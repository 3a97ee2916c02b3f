import { setImmediate } from "node:timers/promises";
import { mainThreadCpuMs } from "../main-thread.js";

/** How long this process computes between two turns of its event loop, as CPU time of the main thread. */
export class Stretches {
  longestMs = {};

  /** Does the work, and notes its longest stretch under the name. */
  async during(name, work) {
    let isDone = false;
    const working = work().finally(() => {
      isDone = true;
    });
    this.longestMs[name] = 0;
    for (let beforeMs = mainThreadCpuMs(); !isDone; ) {
      await setImmediate();
      const nowMs = mainThreadCpuMs();
      this.longestMs[name] = Math.max(this.longestMs[name], nowMs - beforeMs);
      beforeMs = nowMs;
    }
    return working;
  }
}
