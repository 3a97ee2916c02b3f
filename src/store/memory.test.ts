import { describe, expect, it } from "vitest";
import { sampleBlob, sampleCheckpoint } from "../../testing/samples/sample-state.js";
import { createMemoryStore } from "./memory.js";
import { describeStore } from "./store.cases.js";

describeStore("memory", (options) => Promise.resolve(createMemoryStore(options)));

describe("a memory store", () => {
  it("misses content that was changed after it was put, and takes the true content again", () => {
    const problems: Error[] = [];
    const store = createMemoryStore({ now: () => 0, onProblem: (problem) => problems.push(problem) });
    const { id, data } = sampleBlob("true");
    store.putBlob("o", id, data);
    store.getBlob("o", id)?.fill(0);
    expect(store.getBlob("o", id)).toBeUndefined();
    store.putBlob("o", id, data);
    expect(store.getBlob("o", id)).toEqual(data);

    store.putCheckpoint("o", "k", sampleCheckpoint({ state: Buffer.from("state") }));
    store.getCheckpoint("o", "k")?.state.fill(0);
    expect(store.getCheckpoint("o", "k")).toBeUndefined();
    expect(problems).toHaveLength(2);
  });
});
