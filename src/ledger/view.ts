import { type Changes, type LedgerTables, type Range, type Row, type TableName, tableNames } from "./tables.js";

/** A text, or its bytes where they are at hand. */
type Value = string | Uint8Array;

/** The tables with changes that are not committed yet: those of a transaction that is being made, or what waits in the logs. */
export class View {
  readonly generation: number;
  readonly #tables: LedgerTables;
  readonly #changes = new Map<TableName, Map<string, Value | null>>();

  constructor(tables: LedgerTables) {
    this.#tables = tables;
    tables.refresh();
    // Read first: if anything that is read later is newer, the commit fails.
    this.generation = tables.generation();
  }

  /** Whether the tables are still as they were when this view was made. */
  get isCurrent(): boolean {
    this.#tables.refresh();
    return this.#tables.generation() === this.generation;
  }

  get changes(): Changes {
    return this.#changes;
  }

  get(table: TableName, key: string): string | undefined {
    const changed = this.#changes.get(table)?.get(key);
    return changed === undefined ? this.#tables.get(table, key) : textOf(changed);
  }

  put(table: TableName, key: string, value: Value): void {
    this.#changed(table).set(key, value);
  }

  remove(table: TableName, key: string): void {
    this.#changed(table).set(key, null);
  }

  *range(table: TableName, range: Range): IterableIterator<Row> {
    const changes = this.#changes.get(table);
    if (changes === undefined || changes.size === 0) return yield* this.#tables.range(table, range);
    const { from = "", to, isReverse = false } = range;
    const changed = [...changes.keys()].filter((key) => key >= from && (to === undefined || key < to)).sort();
    if (isReverse) changed.reverse();
    let next = 0;
    for (const row of this.#tables.range(table, range)) {
      for (; next < changed.length; next++) {
        const key = changed[next] ?? "";
        if (isReverse ? key <= row.key : key >= row.key) break;
        yield* rowOf(key, changes.get(key));
      }
      if (changed[next] === row.key) yield* rowOf(row.key, changes.get(changed[next++] ?? ""));
      else yield row;
    }
    for (const key of changed.slice(next)) yield* rowOf(key, changes.get(key));
  }

  /** The first key, or with `isReverse` the last; undefined if there is none. */
  firstKey(table: TableName, range: Range): string | undefined {
    for (const key of this.keys(table, range)) return key;
    return undefined;
  }

  *keys(table: TableName, range: Range): IterableIterator<string> {
    const changes = this.#changes.get(table);
    if (changes !== undefined && changes.size > 0) for (const { key } of this.range(table, range)) yield key;
    else yield* this.#tables.keys(table, range);
  }

  #changed(table: TableName): Map<string, Value | null> {
    const changed = this.#changes.get(table) ?? new Map<string, Value | null>();
    this.#changes.set(table, changed);
    return changed;
  }
}

function textOf(value: Value | null | undefined): string | undefined {
  if (typeof value === "string") return value;
  return value ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString() : undefined;
}

/** None for a row that is removed. */
function rowOf(key: string, changed: Value | null | undefined): Row[] {
  const value = textOf(changed);
  return value === undefined ? [] : [{ key, value }];
}

const MAX_ATTEMPTS = 1_000;

/**
 * Makes a transaction of what `change` does to the view. It is called again if another process was faster.
 * @throws Error when the changes could not be written
 */
export async function update<Result>(tables: LedgerTables, change: (view: View) => Result): Promise<Result> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const view = new View(tables);
    const result = change(view);
    const hasChanges = tableNames.some((table) => (view.changes.get(table)?.size ?? 0) > 0);
    if (!hasChanges || (await tables.commit(view.generation, view.changes))) return result;
  }
  throw new Error("The ledger could not be written, because other processes write to it all the time.");
}
