import { expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { callerAccounts } from "./find-credential.js";

const HOUR_MS = 60 * 60_000;

function remember() {
  const opened: string[] = [];
  const clock = new ManualClock();
  const open = (credential: string) => {
    opened.push(credential);
    return { credential };
  };
  return { opened, clock, accountOf: callerAccounts(open, clock) };
}

it("keeps the account of an active caller, and reopens that of one idle for an hour", () => {
  const { opened, clock, accountOf } = remember();
  const first = accountOf("a");
  for (let times = 0; times < 2; times++) {
    clock.advance(HOUR_MS - 1);
    expect(accountOf("a")).toBe(first);
  }
  clock.advance(HOUR_MS);
  expect(accountOf("a")).not.toBe(first);
  expect(opened).toEqual(["a", "a"]);
});

it("evicts the least recently used caller when there are too many", () => {
  const { opened, accountOf } = remember();
  const callers = Array.from({ length: 1_000 }, (_, number) => `caller ${number}`);
  for (const caller of [...callers, "caller 0", "one more", "caller 0", "caller 1"]) accountOf(caller);
  expect(opened).toEqual([...callers, "one more", "caller 1"]);
});
