import { join } from "node:path";
import { open } from "lmdb";
import { openStore, type Store } from "../../src/store/index.js";
import { decodeCheckpoint } from "../../src/store/record.js";

/** What the store of this home holds by now, for another process that opens it. */
export async function statsOnDisk(home: string): Promise<ReturnType<Store["stats"]>> {
  const { store } = await openStore({ folder: join(home, "state"), now: Date.now });
  const stats = store.stats();
  await store.close();
  return stats;
}

/** How many checkpoints that wait for results another process would find in this home by now. */
export async function stagedOnDisk(home: string): Promise<number> {
  const encodings = { encoding: "binary", keyEncoding: "binary" } as const;
  const root = open<Uint8Array, Uint8Array>({ path: join(home, "state"), readOnly: true, maxDbs: 12, ...encodings });
  try {
    const rows = root.openDB<Uint8Array, Uint8Array>("checkpoints", encodings).getRange();
    return Array.from(rows, ({ value }) => decodeCheckpoint(value)?.phase).filter((phase) => phase === "staged").length;
  } finally {
    await root.close();
  }
}
