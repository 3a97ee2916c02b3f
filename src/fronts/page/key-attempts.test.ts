import { expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { KeyAttempts } from "./key-attempts.js";

it("remembers no more than a thousand addresses, and the newest of them", () => {
  const attempts = new KeyAttempts(new ManualClock());
  const tenWrong = (address: string) => {
    for (let at = 0; at < 10; at++) attempts.countWrong(address);
  };
  tenWrong("first");
  for (let at = 0; at < 1_000; at++) tenWrong(`address ${at}`);
  expect(() => attempts.check("first")).not.toThrow();
  for (const at of [0, 999]) expect(() => attempts.check(`address ${at}`)).toThrow("Too many wrong keys");
});
