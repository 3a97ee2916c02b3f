import { setTimeout as sleep } from "node:timers/promises";

/** A terminal and npm may both pass on the same Ctrl-C. */
const SAME_REQUEST_MS = 250;

/** Resolves when the process is asked to stop. Asked once more, it calls `onSecond`. */
export function stopSignal(onSecond: () => void = () => {}): Promise<void> {
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    const onSignal = () => {
      const nowMs = performance.now();
      firstMs ??= nowMs;
      resolve();
      if (nowMs - firstMs > SAME_REQUEST_MS) onSecond();
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}

/** For what goes on until the process is asked to stop, or its reader has seen enough. The pauses end then, too. */
export function untilStopped() {
  const leaving = new AbortController();
  const { signal } = leaving;
  const leave = () => leaving.abort();
  void stopSignal().then(leave);
  process.stdout.once("error", leave);
  return { signal, wait: (ms: number) => sleep(ms, undefined, { signal }).catch(() => {}) };
}
