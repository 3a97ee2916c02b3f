import { expect, it } from "vitest";
import { createMemoryStore, newLineage } from "../store/index.js";
import { keepResults } from "./kept-results.js";

const lineage = newLineage();
const call = { id: "one", name: "tool", input: '{"a":1}' };
const result = { callId: "one", content: [{ type: "text" as const, text: "done" }], isError: false };

it("returns each result once", () => {
  const kept = keepResults(createMemoryStore({ now: () => 0 }), "o", { id: "c", lineage });
  kept.put(call, result);
  expect([kept.take(call), kept.take(call)]).toEqual([result, undefined]);
});

it("finds results under the former id of the conversation", () => {
  const store = createMemoryStore({ now: () => 0 });
  keepResults(store, "o", { id: "c", lineage }).put(call, result);
  const later = keepResults(store, "o", { id: "d", formerId: "c", lineage });
  expect([later.take(call), later.take(call)]).toEqual([result, undefined]);
});

it.each(["not JSON", '{"of":"another version"}'])("treats an unreadable row as missing, and removes it: %s", (note) => {
  let forgotten = 0;
  const store = {
    get: () => ({ lineage, text: note, bytes: new Uint8Array() }),
    put: () => true,
    remove: () => ++forgotten > 0,
  };
  expect(keepResults(store, "o", { id: "c", lineage }).take(call)).toBeUndefined();
  expect(forgotten).toBe(1);
});
