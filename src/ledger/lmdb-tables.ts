import type { Database } from "lmdb";
import { isDamage, type Lmdb, type LmdbFolder, openLmdb, readLmdb, rootCause } from "../lmdb/index.js";
import { type LedgerTables, type Range, type Row, type TableName, tableNames } from "./tables.js";

/** The map of the file is reserved for this much: a million requests. The file itself is as large as what is in it. */
const MAX_BYTES = 1024 * 1024 * 1024;
const FORMAT = "1";
const GENERATION = "generation";
const encodings = { encoding: "string", keyEncoding: "ordered-binary" } as const;

type TextDatabase = Database<string, string>;

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

  constructor(root: Lmdb, folder: LmdbFolder | undefined) {
    this.#root = root;
    this.#folder = folder;
    const open = (name: TableName) =>
      root.openDB<string, string>(name, { ...encodings, useVersions: name === "meta" }) as TextDatabase | undefined;
    const opened = tableNames.map((name) => [name, open(name)]);
    // A process that was killed while it made the file may have left some out. The next one that writes makes them.
    if (opened.some(([, table]) => table === undefined)) throw new Error("The ledger is not complete yet.");
    this.#tables = Object.fromEntries(opened) as Record<TableName, TextDatabase>;
  }

  async begin(): Promise<void> {
    const { meta } = this.#tables;
    if (meta.getEntry(GENERATION) === undefined) {
      await meta.ifNoExists(GENERATION, () => void meta.put(GENERATION, "", 1));
    }
  }

  refresh(): void {
    if (!this.#isClosed) this.#root.resetReadTxn();
  }

  generation(): number {
    return (this.#isClosed ? undefined : this.#tables.meta.getEntry(GENERATION)?.version) ?? 0;
  }

  get(table: TableName, key: string): string | undefined {
    return this.#isClosed ? undefined : this.#tables[table].get(key);
  }

  *range(table: TableName, { from, to, isReverse = false }: Range): IterableIterator<Row> {
    if (this.#isClosed) return;
    // LMDB leaves out the upper bound, in both directions what it is asked for last.
    const bounds = isReverse
      ? { ...(to !== undefined && { start: to }), ...(from !== undefined && { end: from }), reverse: true }
      : { ...(from !== undefined && { start: from }), ...(to !== undefined && { end: to }) };
    for (const { key, value } of this.#tables[table].getRange(bounds)) {
      if (isReverse && key === to) continue;
      yield { key, value };
    }
    if (!isReverse || from === undefined) return;
    const value = this.get(table, from);
    if (value !== undefined) yield { key: from, value };
  }

  async commit(
    generation: number,
    changes: ReadonlyMap<TableName, ReadonlyMap<string, string | null>>,
  ): Promise<boolean> {
    const { meta } = this.#tables;
    try {
      return await meta.ifVersion(GENERATION, generation, () => {
        for (const [name, rows] of changes) {
          const table = this.#tables[name];
          for (const [key, value] of rows) {
            if (value === null) table.remove(key);
            else if (name === "meta") table.put(key, value, 0);
            else table.put(key, value);
          }
        }
        meta.put(GENERATION, "", generation + 1);
      });
    } catch (thrown) {
      const cause = await rootCause(thrown);
      if (isDamage(cause)) this.#folder?.condemn();
      throw new Error("The ledger could not be written to disk.", { cause });
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#root.close();
    this.#folder?.seal();
  }
}
