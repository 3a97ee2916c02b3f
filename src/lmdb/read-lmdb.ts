import { LmdbFolder } from "./lmdb-folder.js";
import { formatKey, type Lmdb, mapping, settings } from "./open-lmdb.js";

interface ReadOptions<Opened> {
  readonly folder: string;
  readonly maxBytes: number;
  readonly format: string;
  readonly nowMs: number;
  readonly open: (root: Lmdb) => Opened;
}

/**
 * Opens an LMDB file to read it, beside the processes that write to it. Nothing on disk changes. Undefined if there is no file, or
 * one that is damaged or of another version: the next process that writes moves it aside.
 * @throws Error of the file system or of LMDB when it cannot be read
 */
export async function readLmdb<Opened>(options: ReadOptions<Opened>): Promise<Opened | undefined> {
  if (!(await new LmdbFolder(options.folder).canBeRead(options.nowMs))) return undefined;
  const { open } = await import("lmdb");
  const root = open<Uint8Array, Uint8Array>({
    ...settings,
    ...mapping(options.maxBytes),
    path: options.folder,
    readOnly: true,
  });
  try {
    const format = root.get(formatKey);
    if (format !== undefined && Buffer.from(options.format).equals(format)) return options.open(root);
  } catch (thrown) {
    await root.close();
    throw thrown;
  }
  await root.close();
  return undefined;
}
