import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Refresher } from "./use-live.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(answer: () => Promise<void> = async () => {}) {
  const ask = vi.fn(answer);
  return { ask, refresher: new Refresher(3_000, ask) };
}

it("asks at once, and then once more for all that changed meanwhile", async () => {
  const { ask, refresher } = start();
  for (let change = 0; change < 50; change++) refresher.noteChange();
  await vi.advanceTimersByTimeAsync(2_999);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ask).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(2);
});

it("asks once more for a change that the first answer may have been too old for", async () => {
  const { ask, refresher } = start();
  refresher.noteChange();
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ask).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(2);
});

it("waits for a slow answer, and then rests", async () => {
  let resolve = () => {};
  const { ask, refresher } = start(() => new Promise((done) => (resolve = done)));
  refresher.noteChange();
  refresher.noteChange();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(1);
  resolve();
  await vi.advanceTimersByTimeAsync(2_999);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ask).toHaveBeenCalledTimes(2);
});

it("asks for nothing while nobody looks, and once when somebody comes back", async () => {
  const { ask, refresher } = start();
  refresher.noteLook(false);
  refresher.noteChange();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(0);
  refresher.noteLook(true);
  refresher.noteLook(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(1);
});

it("asks for nothing any more when it has been stopped", async () => {
  const { ask, refresher } = start();
  refresher.noteChange();
  refresher.noteChange();
  refresher.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(1);
});
