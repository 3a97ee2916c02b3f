import { chmodSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open as openLmdb } from "lmdb";
import { describe, expect, it, onTestFinished } from "vitest";
import { sampleBlob, sampleLineage } from "../../../../testing/samples/sample-state.js";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import type { StoreOptions } from "../lineage-store.js";
import { describeStore } from "../store.cases.js";
import { type OpenedStore, openEmbeddedStore, openStore } from "./embedded.js";

const stateFolder = () => join(temporaryFolder(), "state");

async function openAt(folder: string, options: Partial<StoreOptions> = {}): Promise<OpenedStore> {
  const opened = await openEmbeddedStore({ now: () => 1_000_000, folder, ...options });
  onTestFinished(() => opened.store.close());
  return opened;
}

describeStore("embedded", async (options) => (await openAt(stateFolder(), options)).store);

const blob = sampleBlob("kept");
const lineage = sampleLineage("a");
const row = { names: ["k", "other"], text: "noted", bytes: Buffer.from("state") };
const found = { lineage, text: "noted", bytes: row.bytes };

/** A closed store with one of everything. */
async function filledFolder(): Promise<string> {
  const folder = stateFolder();
  const { store } = await openAt(folder);
  store.putBlob("o", lineage, blob.id, blob.data);
  store.put("o", lineage, row);
  for (let index = 0; index < 200; index++) {
    store.put("o", sampleLineage(`${index}`), { names: [`${index}`], text: "x".repeat(1_000) });
  }
  await store.close();
  return folder;
}

/** Changes rows without the store's knowledge. */
async function tamper(folder: string, table: string, change: (value: Buffer) => Buffer): Promise<void> {
  const root = openLmdb<Uint8Array, Uint8Array>({
    path: folder,
    encoding: "binary",
    keyEncoding: "binary",
    maxDbs: 2,
  });
  const database =
    table === "" ? root : root.openDB<Uint8Array, Uint8Array>(table, { encoding: "binary", keyEncoding: "binary" });
  const rows = table === "" ? [{ key: Buffer.from("format"), value: Buffer.from("2") }] : [...database.getRange({})];
  for (const { key, value } of rows) await database.put(Buffer.from(key), change(Buffer.from(value)));
  await root.close();
}

const flipLastBit = (value: Buffer): Buffer => {
  value.writeUInt8(value.readUInt8(value.length - 1) ^ 1, value.length - 1);
  return value;
};

describe("an embedded store", () => {
  it("has everything again after it is reopened", async () => {
    const folder = await filledFolder();
    const { store, warnings } = await openAt(folder);
    expect(warnings).toEqual([]);
    expect([store.get("o", "k"), store.get("o", "other")]).toEqual([found, found]);
    expect(store.getBlob("o", lineage, blob.id)).toEqual(blob.data);
    while (!store.sweep(1_000_000).isDone);
    expect(store.stats()).toMatchObject({ lineages: 201, rows: 201 });
    expect(store.stats()?.bytes).toBeGreaterThan(200_000);
  });

  it("writes rows even without a flush", async () => {
    const folder = stateFolder();
    const { store } = await openAt(folder);
    store.put("o", lineage, row);
    await store.close();
    expect((await openAt(folder)).store.get("o", "k")).toEqual(found);
  });

  it.skipIf(process.platform === "win32")("keeps its folder and files from other users", async () => {
    const folder = await filledFolder();
    const modes = [folder, ...readdirSync(folder).map((name) => join(folder, name))].map(
      (path) => statSync(path).mode & 0o077,
    );
    expect(new Set(modes)).toEqual(new Set([0]));
    chmodSync(folder, 0o755);
    await openAt(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.each(["rows", "names"])("treats damaged %s as missing, and can store them again", async (table) => {
    const folder = await filledFolder();
    await tamper(folder, table, flipLastBit);
    const problems: Error[] = [];
    const { store, warnings } = await openAt(folder, { onProblem: (problem) => problems.push(problem) });
    expect(warnings).toEqual([]);
    expect(store.get("o", "k")).toBeUndefined();
    expect(problems.length).toBe(table === "rows" ? 1 : 0);
    store.putBlob("o", lineage, blob.id, blob.data);
    store.put("o", lineage, row);
    await store.flush();
    expect(store.getBlob("o", lineage, blob.id)).toEqual(blob.data);
    expect(store.get("o", "k")).toEqual(found);
    for (const nowMs of [1_000_000, 10 ** 11]) while (!store.sweep(nowMs).isDone);
    expect(store.stats()).toEqual({ lineages: 0, rows: 0, bytes: 0 });
  });

  it.skipIf(process.platform !== "linux")("maps its file once, however much it grows", async () => {
    const folder = stateFolder();
    const { store } = await openAt(folder);
    for (let index = 0; index < 30; index++) {
      store.put("o", lineage, { names: [`${index}`], text: `${index} `.repeat(300_000) });
      await store.flush();
      expect(store.get("o", `${index}`)).toBeDefined();
    }
    const maps = readFileSync("/proc/self/maps", "utf8").split("\n");
    expect(maps.filter((line) => line.includes(join(folder, "data.mdb")))).toHaveLength(1);
  });

  it("closes cleanly although its folder is gone", async () => {
    const folder = stateFolder();
    const { store } = await openAt(folder);
    store.put("o", lineage, row);
    await store.flush();
    rmSync(folder, { recursive: true });
    await expect(store.close()).resolves.toBeUndefined();
  });

  const damages: Record<string, (file: string) => void | Promise<void>> = {
    "is something else": (file) => writeFileSync(file, "not a database ".repeat(1_000)),
    "is too short for a head": (file) => writeFileSync(file, "x"),
    "was cut": (file) => truncateSync(file, statSync(file).size - 4_096 * 3),
    "is of another version of LMDB": (file) => {
      const bytes = readFileSync(file);
      for (const page of [0, 4_096]) bytes.writeUInt32LE(1, page + 28);
      writeFileSync(file, bytes);
    },
    "is of another version of Curlew": (file) => tamper(join(file, ".."), "", () => Buffer.from("99")),
  };

  it.each(Object.entries(damages))("moves aside a file that %s, warns, and starts afresh", async (_, damage) => {
    const folder = await filledFolder();
    await damage(join(folder, "data.mdb"));
    const { store, warnings } = await openAt(folder);
    expect(warnings).toEqual([expect.stringContaining(join(folder, "aside-1000000.mdb"))]);
    expect(store.get("o", "k")).toBeUndefined();
    store.put("o", lineage, row);
    await store.close();
    const again = await openAt(folder);
    expect(again.warnings).toEqual([]);
    expect(again.store.get("o", "k")).toEqual(found);
    expect(readdirSync(folder).filter((name) => name.startsWith("aside-"))).toHaveLength(1);
  });

  it("returns misses after it was closed, and does not throw", async () => {
    const { store } = await openAt(stateFolder());
    store.put("o", lineage, row);
    await store.close();
    expect(store.get("o", "k")).toBeUndefined();
    expect(() => store.put("o", lineage, row)).not.toThrow();
    await store.close();
  });
});

describe("the store that is opened", () => {
  it("is on disk if possible", async () => {
    const folder = stateFolder();
    const { store, warnings } = await openStore({ folder, now: () => 0 });
    onTestFinished(() => store.close());
    expect(warnings).toEqual([]);
    expect(readdirSync(folder)).toContain("data.mdb");
  });

  it("is in memory if the folder cannot be used, with a warning", async () => {
    const folder = stateFolder();
    writeFileSync(folder, "a file is in the way");
    await expect(openEmbeddedStore({ folder, now: () => 0 })).rejects.toThrow();
    const { store, warnings } = await openStore({ folder, now: () => 0 });
    expect(warnings).toEqual([expect.stringContaining(folder)]);
    store.put("o", lineage, row);
    expect(store.get("o", "k")).toEqual(found);
  });
});
