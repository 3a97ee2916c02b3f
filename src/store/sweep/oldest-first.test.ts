import { expect, it } from "vitest";
import { OldestFirst } from "./oldest-first.js";

it("gives out what is oldest, whatever the order in which it came and whatever comes meanwhile", () => {
  const heap = new OldestFirst<{ timeMs: number }>();
  const items = Array.from({ length: 500 }, (_, index) => ({ timeMs: (index * 7_919) % 263 }));
  for (const item of items) heap.push(item.timeMs, item);
  const gone = new Set<object>();
  const oldest = () => heap.oldest((item) => (gone.has(item) ? undefined : item.timeMs));
  const given: number[] = [];
  for (let top = oldest(); top !== undefined; top = oldest()) {
    given.push(top.timeMs);
    gone.add(top.item);
    if (given.length === 100) heap.push(1_000, { timeMs: 1_000 });
  }
  expect(given).toEqual([...items.map(({ timeMs }) => timeMs), 1_000].sort((a, b) => a - b));
});

it("goes by the times of now", () => {
  const heap = new OldestFirst<{ timeMs: number }>();
  const [used, unused] = [{ timeMs: 1 }, { timeMs: 2 }];
  for (const item of [used, unused]) heap.push(item.timeMs, item);
  used.timeMs = 3;
  expect(heap.oldest((item) => item.timeMs)?.item).toBe(unused);
});
