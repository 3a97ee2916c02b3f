import { expect, it } from "vitest";
import { EventLog, eventsText } from "./event-log.js";

it("counts all events and keeps the newest within a limit", () => {
  const log = new EventLog();
  for (let at = 1; at <= 10_000; at++) log.push(at, "text", `${at} ${"x".repeat(995)}`);
  expect(log.count).toBe(10_000);
  expect(log.kept.at(-1)).toMatchObject({ number: 10_000, atMs: 10_000 });
  const chars = log.kept.reduce((sum, { data }) => sum + data.length, 0);
  expect(chars).toBeLessThanOrEqual(2_000_000);
  expect(chars).toBeGreaterThan(1_400_000);
  expect(log.kept[0]?.number).toBe(10_000 - log.kept.length + 1);
});

it("truncates very long events", () => {
  const log = new EventLog();
  log.push(5, "text", "x".repeat(1_000_000));
  expect(log.kept[0]?.data).toHaveLength(20_000);
  expect(log.kept[0]?.chars).toBe(1_000_000);
});

it("is copied as an event stream, with times as comments", () => {
  const log = new EventLog();
  log.push(12, "start", "{}");
  log.push(1_234.5, "text", "two\nlines");
  expect(eventsText(log)).toBe(": 0.012 s\ndata: {}\n\n: 1.234 s\ndata: two\ndata: lines\n\n");
  log.forget();
  expect([log.count, eventsText(log)]).toEqual([2, ": 2 earlier events are not kept\n\n"]);
});
