import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { anySignal } from "./any-signal.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Resolves when a time limit has fired that is held only by the combined signal. */
function limitReached(combine: (signals: readonly AbortSignal[]) => AbortSignal): Promise<void> {
  const never = new AbortController().signal;
  return new Promise((resolve) => {
    const inner = combine([never, AbortSignal.timeout(50)]);
    combine([inner, AbortSignal.timeout(600_000)]).addEventListener("abort", () => resolve(), { once: true });
  });
}

it("fires at its time limit after garbage collection", async () => {
  const reached = limitReached(anySignal);
  for (let round = 0; round < 5; round++) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  await expect(reached).resolves.toBeUndefined();
});

it("fires with any of its signals, for the same reason", () => {
  const client = new AbortController();
  const signal = anySignal([client.signal, AbortSignal.timeout(600_000)]);
  client.abort("gone");
  expect(signal.reason).toBe("gone");
});
