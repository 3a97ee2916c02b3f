import { expect, it } from "vitest";
import { sampleBlob, sampleLineage } from "../../../testing/samples/sample-state.js";
import { createMemoryStore } from "./memory.js";
import { describeStore } from "./store.cases.js";

describeStore("memory", (options) => Promise.resolve(createMemoryStore(options)));

it("a memory store misses a row whose bytes were changed after the put, and can store it again", () => {
  const problems: Error[] = [];
  const store = createMemoryStore({ now: () => 0, onProblem: (problem) => problems.push(problem) });
  const lineage = sampleLineage("a");
  const { id, data } = sampleBlob("true");
  const row = { names: ["k"], text: "text", bytes: Buffer.from("state") };
  store.putBlob("o", lineage, id, data);
  store.put("o", lineage, row);
  store.get("o", "k")?.bytes.fill(0);
  expect([store.get("o", "k"), store.getBlob("o", lineage, id)]).toEqual([undefined, undefined]);
  expect(problems).toHaveLength(1);
  store.put("o", lineage, row);
  expect(store.get("o", "k")?.bytes).toEqual(row.bytes);
});
