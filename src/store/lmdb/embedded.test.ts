import { chmodSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open as openLmdb } from "lmdb";
import { describe, expect, it, onTestFinished } from "vitest";
import { sampleBlob, sampleCheckpoint, stateNaming } from "../../../testing/samples/sample-state.js";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { describeStore } from "../store.cases.js";
import type { StoreOptions } from "../store.js";
import { type OpenedStore, openEmbeddedStore, openStore } from "./embedded.js";

const stateFolder = () => join(temporaryFolder(), "state");

async function openAt(folder: string, options: Partial<StoreOptions> = {}): Promise<OpenedStore> {
  const opened = await openEmbeddedStore({ now: () => 1_000_000, folder, ...options });
  onTestFinished(() => opened.store.close());
  return opened;
}

describeStore("embedded", async (options) => (await openAt(stateFolder(), options)).store);

const blob = sampleBlob("kept");
const checkpoint = sampleCheckpoint({ state: stateNaming(blob) });

/** A closed store with one of everything. */
async function filledFolder(): Promise<string> {
  const folder = stateFolder();
  const { store } = await openAt(folder);
  store.putBlob("o", blob.id, blob.data);
  store.putCheckpoint("o", "k", checkpoint);
  store.putNote("o", "k", "noted");
  for (let index = 0; index < 200; index++) store.putNote("o", `${index}`, "x".repeat(1_000));
  await store.close();
  return folder;
}

/** Changes rows without the store's knowledge. */
async function tamper(folder: string, table: string, change: (value: Buffer) => Buffer): Promise<void> {
  const root = openLmdb<Uint8Array, Uint8Array>({
    path: folder,
    encoding: "binary",
    keyEncoding: "binary",
    maxDbs: 12,
  });
  const database =
    table === "" ? root : root.openDB<Uint8Array, Uint8Array>(table, { encoding: "binary", keyEncoding: "binary" });
  const rows = table === "" ? [{ key: Buffer.from("format"), value: Buffer.from("1") }] : [...database.getRange({})];
  for (const { key, value } of rows) await database.put(Buffer.from(key), change(Buffer.from(value)));
  await root.close();
}

const flipLastBit = (value: Buffer): Buffer => {
  value.writeUInt8(value.readUInt8(value.length - 1) ^ 1, value.length - 1);
  return value;
};

describe("an embedded store", () => {
  it("has everything again when it is opened again", async () => {
    const folder = await filledFolder();
    const { store, warnings } = await openAt(folder);
    expect(warnings).toEqual([]);
    expect(store.getCheckpoint("o", "k")).toEqual(checkpoint);
    expect(store.getBlob("o", blob.id)).toEqual(blob.data);
    expect(store.getNote("o", "k")).toBe("noted");
    expect(store.stats()).toMatchObject({ checkpoints: 1, blobs: 1 });
    expect(store.stats().bytes).toBeGreaterThan(200_000);
  });

  it("writes what is put even if nobody flushes", async () => {
    const folder = stateFolder();
    const { store } = await openAt(folder);
    store.putBlob("o", blob.id, blob.data);
    await store.close();
    expect((await openAt(folder)).store.getBlob("o", blob.id)).toEqual(blob.data);
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

  it.each(["blobs", "checkpoints", "notes", "marks"])(
    "misses what is damaged in %s, and can store it again",
    async (table) => {
      const folder = await filledFolder();
      await tamper(folder, table, table === "marks" ? () => Buffer.from("?") : flipLastBit);
      const problems: Error[] = [];
      const { store, warnings } = await openAt(folder, { onProblem: (problem) => problems.push(problem) });
      expect(warnings).toEqual([]);
      if (table === "marks") store.sweep(1_000_000);
      const found = {
        blobs: store.getBlob("o", blob.id),
        checkpoints: store.getCheckpoint("o", "k"),
        notes: store.getNote("o", "k"),
      };
      const { [table === "marks" ? "checkpoints" : table]: missed, ...others }: Record<string, unknown> = found;
      expect(missed).toBeUndefined();
      expect(Object.values(others)).not.toContain(undefined);
      expect(problems.length).toBe(table === "blobs" || table === "checkpoints" ? 1 : 0);
      store.putBlob("o", blob.id, blob.data);
      store.putCheckpoint("o", "k", checkpoint);
      store.putNote("o", "k", "noted");
      await store.flush();
      expect(store.getBlob("o", blob.id)).toEqual(blob.data);
      expect(store.getCheckpoint("o", "k")).toEqual(checkpoint);
      expect(store.getNote("o", "k")).toBe("noted");
    },
  );

  it.skipIf(process.platform !== "linux")("maps its file once, however much it grows", async () => {
    const folder = stateFolder();
    const { store } = await openAt(folder);
    for (let index = 0; index < 30; index++) {
      store.putNote("o", `${index}`, `${index} `.repeat(300_000));
      await store.flush();
      expect(store.getNote("o", `${index}`)).toBeDefined();
    }
    const maps = readFileSync("/proc/self/maps", "utf8").split("\n");
    expect(maps.filter((line) => line.includes(join(folder, "data.mdb")))).toHaveLength(1);
  });

  it("closes well although its folder is gone", async () => {
    const folder = stateFolder();
    const { store } = await openAt(folder);
    store.putNote("o", "k", "noted");
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

  it.each(Object.entries(damages))("moves aside a file that %s, says so, and starts afresh", async (_, damage) => {
    const folder = await filledFolder();
    await damage(join(folder, "data.mdb"));
    const { store, warnings } = await openAt(folder);
    expect(warnings).toEqual([expect.stringContaining(join(folder, "aside-1000000.mdb"))]);
    expect(store.stats()).toEqual({ checkpoints: 0, blobs: 0, bytes: 0 });
    store.putCheckpoint("o", "k", checkpoint);
    await store.close();
    const again = await openAt(folder);
    expect(again.warnings).toEqual([]);
    expect(again.store.getCheckpoint("o", "k")).toEqual(checkpoint);
    expect(readdirSync(folder).filter((name) => name.startsWith("aside-"))).toHaveLength(1);
  });

  it("answers after it was closed, with misses and without an exception", async () => {
    const { store } = await openAt(stateFolder());
    store.putBlob("o", blob.id, blob.data);
    await store.close();
    expect(store.getBlob("o", blob.id)).toBeUndefined();
    expect(() => store.putBlob("o", blob.id, blob.data)).not.toThrow();
    await store.close();
  });
});

describe("the store that is opened", () => {
  it("is on disk where that is possible", async () => {
    const folder = stateFolder();
    const { store, warnings } = await openStore({ folder, now: () => 0 });
    onTestFinished(() => store.close());
    expect(warnings).toEqual([]);
    expect(readdirSync(folder)).toContain("data.mdb");
  });

  it("is in memory where the folder cannot be used, and says so", async () => {
    const folder = stateFolder();
    writeFileSync(folder, "a file is in the way");
    await expect(openEmbeddedStore({ folder, now: () => 0 })).rejects.toThrow();
    const { store, warnings } = await openStore({ folder, now: () => 0 });
    expect(warnings).toEqual([expect.stringContaining(folder)]);
    store.putBlob("o", blob.id, blob.data);
    expect(store.getBlob("o", blob.id)).toEqual(blob.data);
  });
});
