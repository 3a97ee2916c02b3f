import type { Database } from "lmdb";
import { isDamage, type Lmdb, type LmdbFolder, openLmdb, readLmdb, rootCause } from "../lmdb/index.js";
import { type Changes, type LedgerTables, type Range, type Row, type TableName, tableNames } from "./tables.js";

/** The map of the file is reserved for this much: a million requests. The file itself is as large as what is in it. */
const MAX_BYTES = 1024 * 1024 * 1024;
const FORMAT = "1";
const generationKey = Buffer.from("generation");
const encodings = { encoding: "string", keyEncoding: "ordered-binary" } as const;

/** Takes texts also as their bytes. */
type TextDatabase = Database<string | Uint8Array, string>;

/**
 * Opens the tables on disk to write to them.
 * @throws Error of the file system or of LMDB when there can be none
 */
export async function openLedgerTables(
  folder: string,
  nowMs: number,
): Promise<{ tables: LedgerTables; warnings: readonly string[] }> {
  const { opened, warnings } = await openLmdb({
    folder,
    maxBytes: MAX_BYTES,
    format: FORMAT,
    nowMs,
    tellMoved: (why, aside) => `The ledger ${why}: it was moved to ${aside}, and a new one begins.`,
    open: (root, lmdbFolder) => new LmdbTables(root, lmdbFolder),
  });
  await opened.begin();
  return { tables: opened, warnings };
}

/**
 * Opens the tables on disk to read them. Undefined if there are none yet, or none that this version can read.
 * @throws Error of the file system or of LMDB when they cannot be read
 */
export function readLedgerTables(folder: string, nowMs: number): Promise<LedgerTables | undefined> {
  return readLmdb({
    folder,
    maxBytes: MAX_BYTES,
    format: FORMAT,
    nowMs,
    open: (root) => new LmdbTables(root, undefined),
  });
}

/** One LMDB environment. No process holds its lock while it computes: a transaction is committed only if nobody else was faster. */
class LmdbTables implements LedgerTables {
  readonly #root: Lmdb;
  readonly #folder: LmdbFolder | undefined;
  readonly #tables: Readonly<Record<TableName, TextDatabase>>;
  #isClosed = false;
  /** Settles when all transactions have. */
  #committing: Promise<unknown> = Promise.resolve();

  constructor(root: Lmdb, folder: LmdbFolder | undefined) {
    this.#root = root;
    this.#folder = folder;
    const open = (name: TableName) =>
      root.openDB<string | Uint8Array, string>(name, encodings) as TextDatabase | undefined;
    const opened = tableNames.map((name) => [name, open(name)]);
    // A process that was killed while it made the file may have left some out. The next one that writes makes them.
    if (opened.some(([, table]) => table === undefined)) throw new Error("The ledger is not complete yet.");
    this.#tables = Object.fromEntries(opened) as Record<TableName, TextDatabase>;
  }

  async begin(): Promise<void> {
    if (this.generation() > 0) return;
    await this.#root.ifNoExists(generationKey, () => void this.#root.put(generationKey, generationBytes(1)));
  }

  refresh(): void {
    if (!this.#isClosed) this.#root.resetReadTxn();
  }

  generation(): number {
    const bytes = this.#isClosed ? undefined : this.#root.get(generationKey);
    return bytes === undefined ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
  }

  get(table: TableName, key: string): string | undefined {
    const value = this.#isClosed ? undefined : this.#tables[table].get(key);
    return typeof value === "string" ? value : undefined;
  }

  *range(table: TableName, range: Range): IterableIterator<Row> {
    if (this.#isClosed) return;
    for (const { key, value } of this.#tables[table].getRange(boundsOf(range))) {
      if (typeof value === "string" && isWithin(key, range)) yield { key, value };
    }
  }

  *keys(table: TableName, range: Range): IterableIterator<string> {
    if (this.#isClosed) return;
    for (const key of this.#tables[table].getKeys(boundsOf(range))) if (isWithin(key, range)) yield key;
  }

  async commit(generation: number, changes: Changes): Promise<boolean> {
    // LMDB would end the process.
    if (this.#isClosed) throw new Error("The ledger is closed.");
    const commit = this.#root.ifVersion(generationKey, generation, () => this.#write(generation, changes));
    this.#committing = Promise.allSettled([this.#committing, commit]);
    try {
      return await commit;
    } catch (thrown) {
      const cause = await rootCause(thrown);
      if (isDamage(cause)) this.#folder?.condemn();
      throw new Error("The ledger could not be written to disk.", { cause });
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#committing;
    await this.#root.close();
    this.#folder?.seal();
  }

  #write(generation: number, changes: Changes): void {
    for (const [name, rows] of changes) {
      const table = this.#tables[name];
      // Unlike a loop, this makes no object for each row.
      rows.forEach((value, key) => {
        if (value === null) table.remove(key);
        else table.put(key, value);
      });
    }
    this.#root.put(generationKey, generationBytes(generation + 1));
  }
}

/** LMDB takes the first eight bytes of a value for its version. */
function generationBytes(generation: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(generation);
  return bytes;
}

/**
 * LMDB includes the first bound and leaves out the second. Backwards, that is the wrong way round for us, so the second is chosen a
 * little lower. What is too much is left out by `isWithin`.
 */
function boundsOf({ from, to, isReverse = false }: Range): { start?: string; end?: string; reverse?: boolean } {
  if (!isReverse) return { ...(from !== undefined && { start: from }), ...(to !== undefined && { end: to }) };
  const end =
    from === undefined ? undefined : from.slice(0, -1) + String.fromCharCode(from.charCodeAt(from.length - 1) - 1);
  return { ...(to !== undefined && { start: to }), ...(end !== undefined && end !== "" && { end }), reverse: true };
}

function isWithin(key: string, { from, to }: Range): boolean {
  return (from === undefined || key >= from) && (to === undefined || key < to);
}
