import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a count that something has moved stands still: by then, what flows in this process would have moved it on. */
export async function untilAtRest(count: () => number, restMs = 100): Promise<void> {
  for (let before = count(); ; before = count()) {
    await sleep(restMs);
    if (before > 0 && count() === before) return;
  }
}
