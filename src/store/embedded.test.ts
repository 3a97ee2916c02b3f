import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import { openEmbeddedStore } from "./embedded.js";
import { describeStore } from "./store.cases.js";
import type { Store } from "./store.js";

const base = mkdtempSync(join(tmpdir(), "curlew-store-"));
const open: Store[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});
afterAll(() => rmSync(base, { recursive: true }));

describeStore("embedded", async (options) => {
  const { store } = await openEmbeddedStore({ ...options, folder: mkdtempSync(join(base, "s-")) });
  open.push(store);
  return store;
});
