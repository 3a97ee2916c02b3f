import { expect, it } from "vitest";
import { Turnstile } from "./turnstile.js";

it("limits concurrency and keeps the order, even when work fails", async () => {
  const turnstile = new Turnstile(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const passing = [0, 1, 2, 3].map((number) =>
    turnstile.pass(async () => {
      begun.push(number);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (number === 0) throw new Error("broken");
      return number;
    }),
  );
  const settled = Promise.allSettled(passing);
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1]);
  ends[0]?.();
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1, 2]);
  ends[1]?.();
  ends[2]?.();
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[3]?.();
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
  expect(await turnstile.pass(async () => "free")).toBe("free");
});
