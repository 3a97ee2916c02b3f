import { expect, it } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { KeyAttempts } from "./key-attempts.js";

it("remembers the newest thousand addresses", () => {
  const attempts = new KeyAttempts(new ManualClock());
  const tenWrong = (address: string) => {
    for (let at = 0; at < 10; at++) attempts.countWrong(address, `guess ${at}`);
  };
  tenWrong("first");
  for (let at = 0; at < 1_000; at++) tenWrong(`address ${at}`);
  for (const at of [0, 999]) expect(() => attempts.check(`address ${at}`, "")).toThrow("Too many wrong keys");
  expect(() => attempts.check("first", "")).not.toThrow();
});

it("counts a repeated wrong key once: a client with an old key is not guessing", () => {
  const attempts = new KeyAttempts(new ManualClock());
  for (let at = 0; at < 100; at++) attempts.countWrong("here", "an old key");
  expect(() => attempts.check("here", "")).not.toThrow();
});

it("admits the right key from an address that guesses only if it was used there before or the minute is over", () => {
  const clock = new ManualClock();
  const attempts = new KeyAttempts(clock);
  expect(attempts.admits("known")).toBe(true);
  for (const address of ["known", "new"]) for (let at = 0; at < 10; at++) attempts.countWrong(address, `guess ${at}`);
  expect(["known", "new", "other"].map((address) => attempts.admits(address))).toEqual([true, false, true]);
  clock.advance(60_000);
  expect(attempts.admits("new")).toBe(true);
});
