import { describe, expect, it } from "vitest";
import { noonMs, sampleEntry } from "../../testing/ledger/sample-entries.js";
import type { EntrySearch } from "./entry.js";
import { searchEntries } from "./find-entries.js";
import { searchInSlices } from "./index.js";
import { entryKey } from "./log-item.js";
import { memoryTables } from "./memory-tables.js";
import { update, View } from "./view.js";
import { entryText } from "./write-entry.js";

const ENTRIES = 10_000;

/** Counts the steps, and the most entries that one of them may look at. */
async function countingReader() {
  const tables = memoryTables();
  await update(tables, (view) => {
    for (let number = 0; number < ENTRIES; number++) {
      const entry = sampleEntry({ id: `id-${number}`, atMs: noonMs, model: number === 0 ? "first" : "usual" });
      view.put("entries", entryKey(noonMs, String(number).padStart(6, "0")), entryText(entry));
    }
  });
  const steps: number[] = [];
  const search = (wanted: EntrySearch) => {
    steps.push(wanted.maxLooked);
    return searchEntries(new View(tables), wanted);
  };
  return { search, steps };
}

/** How often others could work until then. */
async function turnsOfOthers(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const next = () => {
    if (isOver) return;
    turns++;
    setImmediate(next);
  };
  next();
  await work;
  isOver = true;
  return turns;
}

describe("a search that finds nothing", () => {
  it("lets others work between its steps, and ends where it has to", async () => {
    const reader = await countingReader();
    const searching = searchInSlices(reader, { client: "nobody", limit: 10, maxLooked: 5_000 });
    expect(await turnsOfOthers(searching)).toBeGreaterThanOrEqual(2);
    expect(reader.steps).toEqual([2_000, 2_000, 1_000]);
    const { entries, before } = await searching;
    expect(entries).toEqual([]);
    expect(before).toBe(entryKey(noonMs, "005000"));
  });
});

describe("a search that is gone on with", () => {
  it("finds what it had not come to", async () => {
    const reader = await countingReader();
    const search = { model: "first", limit: 10, maxLooked: 5_000 };
    const { before } = await searchInSlices(reader, search);
    const rest = await searchInSlices(reader, { ...search, ...(before !== null && { before }) });
    expect([rest.entries.map(({ id }) => id), rest.before]).toEqual([["id-0"], null]);
  });

  it("has as many as it was asked for, over the steps", async () => {
    const reader = await countingReader();
    const { entries } = await searchInSlices(reader, { limit: 2_500, maxLooked: ENTRIES });
    expect(entries).toHaveLength(2_500);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(2_500);
  });
});
