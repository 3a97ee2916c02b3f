import { expect, it } from "vitest";
import { OldestFirst } from "./oldest-first.js";

it("gives out what is oldest, whatever the order in which it came and whatever comes meanwhile", () => {
  const heap = new OldestFirst<number>();
  const times = Array.from({ length: 200 }, (_, index) => (index * 7_919) % 211);
  for (const time of times) heap.push(time, time);
  const given: (number | undefined)[] = [];
  for (let count = 0; count < 100; count++) given.push(heap.pop());
  const late = given.at(-1) ?? 0;
  heap.push(late, late);
  for (let top = heap.pop(); top !== undefined; top = heap.pop()) given.push(top);
  expect(given).toEqual([...times, late].sort((one, other) => one - other));
  expect(heap.pop()).toBeUndefined();
});
