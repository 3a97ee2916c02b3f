import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Refresher } from "./use-live.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(answer: () => Promise<void> = async () => {}) {
  const ask = vi.fn(answer);
  return { ask, refresher: new Refresher(3_000, ask) };
}

it("loads at once, and then once more for all changes in between", async () => {
  const { ask, refresher } = start();
  for (let change = 0; change < 50; change++) refresher.noteChange();
  await vi.advanceTimersByTimeAsync(2_999);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ask).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(2);
});

it("loads once more if the first answer may have been too old for the change", async () => {
  const { ask, refresher } = start();
  refresher.noteChange();
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ask).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(2);
});

it("waits for a slow answer, and then pauses", async () => {
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

it("does not load while the page is hidden, and loads once when it is shown again", async () => {
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

it("does not load after it was stopped", async () => {
  const { ask, refresher } = start();
  refresher.noteChange();
  refresher.noteChange();
  refresher.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(1);
});
