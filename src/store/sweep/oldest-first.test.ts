import { expect, it } from "vitest";
import { OldestFirst } from "./oldest-first.js";

it("gives out what is oldest, whatever the order in which it came and whatever comes meanwhile", () => {
  const heap = new OldestFirst<number>();
  const times = Array.from({ length: 500 }, (_, index) => (index * 7_919) % 263);
  for (const time of times) heap.push(time, time);
  const given: number[] = [];
  for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
    given.push(top.item);
    if (given.length === 100) heap.push(1_000, 1_000);
  }
  expect(given).toEqual([...times, 1_000].sort((a, b) => a - b));
  expect(heap.peek()).toBeUndefined();
});
