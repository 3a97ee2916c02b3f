import type { CommandMachine } from "../../terminal/command-machine.js";

/** A terminal and npm may both pass on the same Ctrl-C. */
const SAME_REQUEST_MS = 250;

/** Resolves when the process is asked to stop. A second request calls `onSecond`. */
export function stopSignal(events: CommandMachine["events"], onSecond: () => void = () => {}): Promise<void> {
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    const onSignal = () => {
      const nowMs = performance.now();
      firstMs ??= nowMs;
      resolve();
      if (nowMs - firstMs > SAME_REQUEST_MS) onSecond();
    };
    events.on("SIGINT", onSignal);
    events.on("SIGTERM", onSignal);
  });
}
