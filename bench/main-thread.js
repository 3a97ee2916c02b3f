// The CPU time of this process's main thread.
import { openSync, readSync } from "node:fs";

const file = process.platform === "linux" ? openSync(`/proc/self/task/${process.pid}/schedstat`, "r") : undefined;
const text = Buffer.alloc(128);
const nobody = new Int32Array(new SharedArrayBuffer(4));
const SHORTEST_MS = 0.02;

/** Time in which the thread had to wait for others on a busy machine does not count. */
export function mainThreadCpuMs() {
  if (file === undefined) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
  // The kernel brings its counter up to date when the thread sleeps, and else only every 4 ms.
  Atomics.wait(nobody, 0, 0, SHORTEST_MS);
  const bytes = readSync(file, text, 0, text.length, 0);
  return Number(text.toString("latin1", 0, bytes).split(" ")[0]) / 1_000_000;
}
