import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleLineage } from "../../../../testing/samples/sample-state.js";
import { putNumbered } from "../../../../testing/store/child-programs.js";
import { openEmbeddedStore } from "./embedded.js";
import { checkPages } from "./page-check.js";

const base = mkdtempSync(join(tmpdir(), "curlew-pages-"));
const folder = join(base, "store");
const file = join(folder, "data.mdb");
const copy = join(base, "copy.mdb");
const PAGE_BYTES = 4_096;
let sound: Buffer;

beforeAll(async () => {
  let nowMs = 0;
  const { store } = await openEmbeddedStore({ folder, now: () => nowMs });
  for (let number = 0; number < 60; number++) {
    putNumbered(store, "p", number);
    if (number % 3 === 0) store.put("o", sampleLineage("another"), { names: [`p ${number - 30}`], text: "" });
    nowMs += 6 * 60_000;
    if (number % 10 === 0) store.sweep(nowMs);
    if (number % 4 === 0) await store.flush();
    expect(await checkPages(file), `after ${number}`).toBe("sound"); // also while a commit is under way
  }
  await store.close();
  sound = readFileSync(file);
});
afterAll(() => rmSync(base, { recursive: true }));

function check(change: (bytes: Buffer) => Buffer | undefined): Promise<string> {
  const bytes = Buffer.from(sound);
  writeFileSync(copy, change(bytes) ?? bytes);
  return checkPages(copy);
}

const flip = (offset: number) => (bytes: Buffer) => {
  bytes.writeUInt8(bytes.readUInt8(offset) ^ 0x80, offset);
  return bytes;
};

describe.skipIf(sixteenKilobytePages())("the pages of a data file", () => {
  it("are sound in an untouched file, and in an empty one", async () => {
    expect(await check(() => undefined)).toBe("sound");
    expect(await check(() => Buffer.alloc(0))).toBe("sound");
  });

  it("are sound in tables whose rows have versions, also while they are open", async () => {
    const { open } = await import("lmdb");
    const path = join(base, "versions");
    const root = open<string, string>({ path, encoding: "string" });
    const table = root.openDB<string, string>("versions", { encoding: "string", useVersions: true });
    for (let number = 0; number < 200; number++) await table.put(`key ${number}`, "value", number);
    expect(await checkPages(join(path, "data.mdb"))).toBe("sound");
    await root.close();
  });

  it("are damaged in a file that is something else, or of another format", async () => {
    expect(await check(() => Buffer.from("short"))).toBe("damaged");
    expect(await check((bytes) => bytes.fill("text"))).toBe("damaged");
    for (const offset of [24, 28, PAGE_BYTES + 24, PAGE_BYTES + 28]) expect(await check(flip(offset))).toBe("damaged");
  });

  it("are damaged if a page in use does not match its header", async () => {
    const inUse: number[] = [];
    for (let page = 2 * PAGE_BYTES; page < sound.length; page += PAGE_BYTES) {
      if ((await check((bytes) => bytes.fill(0, page, page + 24))) === "damaged") inUse.push(page);
    }
    expect(inUse.length).toBeGreaterThan(20);
    for (const page of inUse) {
      // The offsets of the page's number, its transaction, and its kind.
      const heads: string[] = [];
      for (const offset of [0, 7, 15, 18, 19]) heads.push(await check(flip(page + offset)));
      expect(heads, `page ${page / PAGE_BYTES}`).toEqual(Array(5).fill("damaged"));
    }
    const last = inUse.at(-1) ?? 0;
    expect(await check((bytes) => bytes.subarray(0, last + PAGE_BYTES - 1))).toBe("damaged");
  });

  it("are checked with pauses, a hundred at a time", async () => {
    const large = join(base, "large");
    const { store } = await openEmbeddedStore({ folder: large, now: () => 0 });
    for (let number = 0; number < 4_000; number++) {
      store.put("o", sampleLineage(`${number}`), { names: [`${number}`], text: "x".repeat(1_000) });
    }
    await store.close();
    let pauses = 0;
    const countPause = () => Promise.resolve(pauses++);
    expect(await checkPages(join(large, "data.mdb"), countPause)).toBe("sound");
    expect(pauses).toBeGreaterThanOrEqual(Math.floor((4_000 * 1_000) / PAGE_BYTES / 100));
  });
});

/** LMDB's pages are as large as the machine's memory pages. */
function sixteenKilobytePages(): boolean {
  return process.platform === "darwin" && process.arch === "arm64";
}
