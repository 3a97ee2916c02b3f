import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a count is positive and stable: anything still flowing in this process would have changed it. */
export async function untilAtRest(count: () => number, restMs = 100): Promise<void> {
  for (let before = count(); ; before = count()) {
    await sleep(restMs);
    if (before > 0 && count() === before) return;
  }
}
