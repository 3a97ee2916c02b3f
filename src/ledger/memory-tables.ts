import { type Changes, type LedgerTables, type Range, type Row, type TableName, tableNames } from "./tables.js";

/** Tables that end with the process. Each drops its oldest rows when it has more than `maxRows`. */
export function memoryTables(maxRows = Number.POSITIVE_INFINITY): LedgerTables {
  const tables = new Map<TableName, MemoryTable>();
  for (const name of tableNames) tables.set(name, new MemoryTable(maxRows));
  const tableOf = (name: TableName) => tables.get(name) ?? new MemoryTable(maxRows);
  let generation = 1;
  return {
    refresh: () => {},
    generation: () => generation,
    get: (name, key) => tableOf(name).get(key),
    range: (name, range) => tableOf(name).range(range),
    keys: (name, range) => tableOf(name).keys(range),
    commit(seen, changes) {
      if (seen !== generation) return Promise.resolve(false);
      generation++;
      applyTo(tableOf, changes);
      return Promise.resolve(true);
    },
    close: () => Promise.resolve(),
  };
}

function applyTo(tableOf: (name: TableName) => MemoryTable, changes: Changes): void {
  for (const [name, rows] of changes) {
    const table = tableOf(name);
    for (const [key, value] of rows) {
      if (value === null) table.remove(key);
      else table.put(key, typeof value === "string" ? value : Buffer.from(value).toString());
    }
  }
}

class MemoryTable {
  readonly #maxRows: number;
  /** In the order in which they came. */
  readonly #rows = new Map<string, string>();
  /** In order. */
  readonly #keys: string[] = [];

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  get(key: string): string | undefined {
    return this.#rows.get(key);
  }

  put(key: string, value: string): void {
    if (!this.#rows.has(key)) this.#keys.splice(this.#position(key), 0, key);
    this.#rows.set(key, value);
    if (this.#rows.size > this.#maxRows) this.remove(this.#rows.keys().next().value ?? key);
  }

  remove(key: string): void {
    if (this.#rows.delete(key)) this.#keys.splice(this.#position(key), 1);
  }

  *range(range: Range): IterableIterator<Row> {
    for (const key of this.keys(range)) {
      const value = this.#rows.get(key);
      if (value !== undefined) yield { key, value };
    }
  }

  keys({ from = "", to, isReverse = false }: Range): string[] {
    const keys = this.#keys.slice(this.#position(from), to === undefined ? undefined : this.#position(to));
    return isReverse ? keys.reverse() : keys;
  }

  /** Where a key is, or would be. Most keys are newer than all others. */
  #position(key: string): number {
    const last = this.#keys.at(-1);
    if (last === undefined || last < key) return this.#keys.length;
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
