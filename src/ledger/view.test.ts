import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLedgerTables } from "./lmdb-tables.js";
import { memoryTables } from "./memory-tables.js";
import type { LedgerTables } from "./tables.js";
import { update, View } from "./view.js";

async function onDisk(): Promise<LedgerTables> {
  const folder = mkdtempSync(join(tmpdir(), "curlew-view-"));
  const { tables } = await openLedgerTables(folder, 0);
  onTestFinished(async () => {
    await tables.close();
    rmSync(folder, { recursive: true });
  });
  return tables;
}

describe.each([
  ["in memory", () => Promise.resolve(memoryTables())],
  ["on disk", onDisk],
])("tables %s", (_, open) => {
  it("are read through what is changed, in both directions and within bounds", async () => {
    const tables = await open();
    await update(tables, (view) => {
      for (const key of ["b", "d", "f", "h"]) view.put("entries", key, key);
    });
    const view = new View(tables);
    for (const key of ["a", "c", "d", "i"]) view.put("entries", key, Buffer.from(key.toUpperCase()));
    view.remove("entries", "f");
    view.remove("entries", "g");
    const values = (range: object) => [...view.range("entries", range)].map(({ value }) => value).join("");
    expect(values({})).toBe("AbCDhI");
    expect(values({ isReverse: true })).toBe("IhDCbA");
    expect(values({ from: "b", to: "h" })).toBe("bCD");
    expect(values({ from: "b", to: "h", isReverse: true })).toBe("DCb");
    expect(values({ from: "c", to: "d", isReverse: true })).toBe("C");
    expect([...view.keys("entries", { from: "d" })].join("")).toBe("dhi");
    expect([...tables.keys("entries", { from: "d", to: "h", isReverse: true })].join("")).toBe("fd");
    expect([view.get("entries", "d"), view.get("entries", "f"), view.get("entries", "h")]).toEqual([
      "D",
      undefined,
      "h",
    ]);
  });

  it("take no changes that were made from what was there before another transaction", async () => {
    const tables = await open();
    const [first, second] = [new View(tables), new View(tables)];
    for (const view of [first, second]) view.put("meta", "who", view === first ? "first" : "second");
    expect(await tables.commit(first.generation, first.changes)).toBe(true);
    expect(await tables.commit(second.generation, second.changes)).toBe(false);
    tables.refresh();
    expect(tables.get("meta", "who")).toBe("first");
  });
});
