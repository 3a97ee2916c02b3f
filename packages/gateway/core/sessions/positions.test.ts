import { beforeEach, describe, expect, it } from "vitest";
import { keepCheckpoint } from "../../../../testing/samples/sample-position.js";
import { sampleLineage } from "../../../../testing/samples/sample-state.js";
import { LineageStore } from "../../store/lineage-store.js";
import { memoryTables } from "../../store/memory.js";
import { withOverflow } from "../../store/with-overflow.js";
import { checkpointAt, hasBegun, originOf, savePosition } from "./positions.js";

describe("a conversation is found by its first message", () => {
  const [a, b] = [{ lineage: sampleLineage("a") }, { lineage: sampleLineage("b") }];
  let nowMs = 0;
  let isFull = false;
  let store: LineageStore;
  beforeEach(() => {
    nowMs = 1_800_000_000_000;
    isFull = false;
    const tables = { ...memoryTables(), isFull: () => isFull };
    store = new LineageStore({ tables, maxBytes: 1e8, maxAgeMs: 1_000_000, now: () => nowMs });
  });
  const isFound = (key: string) => [checkpointAt(store, "me", key) !== undefined, hasBegun(store, "me", "first")];
  const sweep = () => {
    while (!store.sweep(nowMs).isDone);
  };

  it("after a restart, although its beginning was held in memory because there was no room", () => {
    const held = withOverflow(store, () => nowMs);
    isFull = true;
    keepCheckpoint(held, "1", a);
    isFull = false;
    keepCheckpoint(held, "2", a);
    expect(isFound("2")).toEqual([true, true]);
  });

  it("although a later one with the same beginning was put and is gone", () => {
    keepCheckpoint(store, "1", a);
    keepCheckpoint(store, "x", b);
    nowMs += 900_000;
    keepCheckpoint(store, "2", a);
    nowMs += 200_000;
    sweep();
    expect([isFound("2"), isFound("x")]).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  it("although all its rows were dropped during a run", () => {
    keepCheckpoint(store, "1", a);
    nowMs += 2_000_000;
    sweep();
    keepCheckpoint(store, "2", a);
    expect(isFound("2")).toEqual([true, true]);
  });

  it("and later stored calls do not replace its checkpoint", () => {
    const place = { key: "1", bareKey: "bare 1", system: "", tools: "", model: "", backend: "agent" };
    const staged = { state: Buffer.of(1), conversationId: "c", phase: "staged" as const, calls: [], memo: "" };
    const saved = { owner: "me", ...a, firstKey: "first", ...place };
    savePosition(store, { ...saved, callIds: ["one"], checkpoint: staged });
    savePosition(store, { ...saved, key: "12", bareKey: "bare 12", callIds: ["one", "two"] });
    expect(isFound("1")).toEqual([true, true]);
    expect(originOf(store, "me", ["two"])).toEqual({ keys: new Set(["12"]), bareKeys: new Set(["bare 12"]) });
  });
});
