import { expect, it } from "vitest";
import { ManualClock } from "../../testing/manual-clock.js";
import { callerAccounts } from "./find-credential.js";

function remember() {
  const opened: string[] = [];
  const clock = new ManualClock();
  const open = (credential: string) => {
    opened.push(credential);
    return { credential };
  };
  return { opened, clock, accountOf: callerAccounts({ open, clock, max: 2, maxAgeMs: 1_000 }) };
}

it("opens an account once for a caller that keeps coming", () => {
  const { opened, clock, accountOf } = remember();
  const first = accountOf("a");
  clock.advance(900);
  expect(accountOf("a")).toBe(first);
  clock.advance(900);
  expect(accountOf("a")).toBe(first);
  expect(opened).toEqual(["a"]);
});

it("forgets a caller that stays away", () => {
  const { opened, clock, accountOf } = remember();
  accountOf("a");
  clock.advance(1_000);
  accountOf("a");
  expect(opened).toEqual(["a", "a"]);
});

it("forgets the one that was away the longest when there are too many", () => {
  const { opened, accountOf } = remember();
  for (const caller of ["a", "b", "a", "c", "a", "b"]) accountOf(caller);
  expect(opened).toEqual(["a", "b", "c", "b"]);
});
