import { expect, it } from "vitest";
import { noonMs, sampleEntry } from "../../../../testing/ledger/sample-entries.js";
import { isFull, listOf, MAX_ROWS, type RequestList, withEnded, withHeld, withOlder } from "./request-list.js";

const entry = (second: number) => sampleEntry({ id: `id-${second}`, atMs: noonMs + second * 1_000 });
const range = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) }, (_, index) => entry(from + Math.sign(to - from) * index));
const seconds = (list: RequestList | undefined) => list?.entries.map(({ atMs }) => (atMs - noonMs) / 1_000);
const start = listOf({ entries: [entry(3), entry(2), entry(1)], before: "k" });

it("inserts new requests while it may move", () => {
  const list = withEnded(start, [entry(5), entry(4)], 0, true);
  expect(seconds(list)).toEqual([5, 4, 3, 2, 1]);
  expect([...list.fresh].map(({ id }) => id)).toEqual(["id-5", "id-4"]);
  expect(list.held).toEqual([]);
});

it("sorts ended requests by when they began", () => {
  const list = withEnded(withEnded(start, [entry(5)], 0, true), [entry(4)], 0, true);
  expect(seconds(list)).toEqual([5, 4, 3, 2, 1]);
});

it("ignores requests that are already listed", () => {
  const list = withEnded(start, [entry(4), entry(3)], 0, true);
  expect(seconds(list)).toEqual([4, 3, 2, 1]);
  expect(list.fresh.size).toBe(1);
});

it("distinguishes requests with the same id", () => {
  const again = sampleEntry({ id: "id-3", atMs: noonMs + 9_000 });
  expect(seconds(withEnded(start, [again], 0, true))).toEqual([9, 3, 2, 1]);
});

it("leaves requests older than the list to later loads", () => {
  expect(seconds(withEnded(start, [entry(0)], 0, true))).toEqual([3, 2, 1]);
  const whole = listOf({ entries: [entry(3)], before: null });
  expect(seconds(withEnded(whole, [entry(0)], 0, true))).toEqual([3, 0]);
});

it("holds new requests back while it must not move, and inserts them when it may again", () => {
  const held = withEnded(withEnded(start, [entry(4)], 0, false), [entry(5)], 0, false);
  expect([seconds(held), held.held.length]).toEqual([[3, 2, 1], 2]);
  expect(seconds(withHeld(held))).toEqual([5, 4, 3, 2, 1]);
  expect(seconds(withEnded(held, [entry(6)], 0, true))).toEqual([6, 5, 4, 3, 2, 1]);
});

it("holds back large numbers, and must be reloaded if some are missing", () => {
  const many = withEnded(start, range(10, 60), 0, true);
  expect([seconds(many), many.held.length]).toEqual([[3, 2, 1], 50]);
  expect(seconds(withHeld(many))).toHaveLength(53);
  const skipped = withEnded(start, [entry(4)], 7, true);
  expect([seconds(skipped), skipped.held.length, skipped.missed]).toEqual([[3, 2, 1], 1, 7]);
  expect(withHeld(skipped)).toBeUndefined();
});

it("stays bounded under load, and counts all requests", () => {
  let list = start;
  for (let second = 10; second < 2_010; second += 100) list = withEnded(list, range(second, second + 100), 5, true);
  expect(list.held).toHaveLength(MAX_ROWS);
  expect(list.held.length + list.missed).toBe(2_000 + 20 * 5);
  expect(isFull(list)).toBe(true);
});

it("makes room for older requests by dropping the newest", () => {
  const older = withOlder(listOf({ entries: range(400, 200), before: "a" }), { entries: range(200, 0), before: null });
  expect([older.entries.length, older.entries[0]?.id, older.entries.at(-1)?.id]).toEqual([MAX_ROWS, "id-300", "id-1"]);
  expect([older.isCut, older.before, withHeld(older)]).toEqual([true, null, undefined]);
  expect(withEnded(older, [entry(500)], 0, true).held).toHaveLength(1);
});
