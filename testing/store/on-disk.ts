import { join } from "node:path";
import { open } from "lmdb";
import { decodeRecord } from "../../packages/gateway/store/record.js";

/** How many rows the store of this home holds by now, for another process that opens it. */
export async function rowsOnDisk(home: string): Promise<number> {
  return (await textsOnDisk(home)).length;
}

/** How many checkpoints that wait for results another process would find in this home by now. */
export async function stagedOnDisk(home: string): Promise<number> {
  const texts = await textsOnDisk(home);
  return texts.filter((text) => text.includes('"phase":"staged"')).length;
}

async function textsOnDisk(home: string): Promise<string[]> {
  const encodings = { encoding: "binary", keyEncoding: "binary" } as const;
  const root = open<Uint8Array, Uint8Array>({ path: join(home, "state"), readOnly: true, maxDbs: 2, ...encodings });
  try {
    const rows = root.openDB<Uint8Array, Uint8Array>("rows", encodings).getRange();
    return Array.from(rows, ({ value }) => decodeRecord(value)?.text ?? "");
  } finally {
    await root.close();
  }
}
