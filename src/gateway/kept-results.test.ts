import { expect, it } from "vitest";
import { createMemoryStore } from "../store/index.js";
import { keepResults } from "./kept-results.js";

const call = { id: "one", name: "tool", input: '{"a":1}' };
const result = { callId: "one", content: [{ type: "text" as const, text: "done" }], isError: false };

it("gives out once what a tool gave", () => {
  const kept = keepResults(createMemoryStore({ now: () => 0 }), "o", { id: "c" });
  kept.put(call, result);
  expect([kept.take(call), kept.take(call)]).toEqual([result, undefined]);
});

it("gives out what was kept under the id that the conversation had before", () => {
  const store = createMemoryStore({ now: () => 0 });
  keepResults(store, "o", { id: "c" }).put(call, result);
  const later = keepResults(store, "o", { id: "d", formerId: "c" });
  expect([later.take(call), later.take(call)]).toEqual([result, undefined]);
});

it.each(["not JSON", '{"of":"another version"}'])("misses what it cannot read, and forgets it: %s", (note) => {
  let forgotten = 0;
  const store = { getNote: () => note, putNote: () => true, deleteNote: () => void forgotten++ };
  expect(keepResults(store, "o", { id: "c" }).take(call)).toBeUndefined();
  expect(forgotten).toBe(1);
});
