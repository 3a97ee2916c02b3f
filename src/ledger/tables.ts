export const tableNames = ["entries", "ids", "details", "hours", "days", "threads", "conduct", "meta"] as const;

/**
 * The tables of the ledger. All keys and values are text; keys are in the order of their bytes, and those that begin with a time in
 * the order of time.
 *
 * - `entries`: key of the entry -> the entry
 * - `ids`: key of an entry -> ids of requests and keys of their entries, see request-ids.ts
 * - `details`: number -> details of some entries, see journal.ts
 * - `hours`, `days`: start + client + model -> sums
 * - `threads`: thread -> sums
 * - `conduct`: start of the day -> counts
 * - `meta`: what was forgotten, which former files were taken over
 */
export type TableName = (typeof tableNames)[number];

export interface Row {
  readonly key: string;
  readonly value: string;
}

export interface Range {
  readonly from?: string;
  /** Keys before this one. */
  readonly to?: string;
  /** From the last to the first. */
  readonly isReverse?: boolean;
}

/** The changes of one transaction. A value of null stands for a row that is removed. */
export type Changes = ReadonlyMap<TableName, ReadonlyMap<string, string | Uint8Array | null>>;

export interface LedgerTables {
  /** What is read from now on is at least as new as this moment. */
  refresh(): void;
  /** Changes with every transaction of any process. */
  generation(): number;
  get(table: TableName, key: string): string | undefined;
  range(table: TableName, range: Range): Iterable<Row>;
  /** The same without the values, which are not read. */
  keys(table: TableName, range: Range): Iterable<string>;
  /**
   * Commits all changes or none. Resolves to false, and commits none, if there was another transaction since the generation.
   * @throws Error when they could not be written
   */
  commit(generation: number, changes: Changes): Promise<boolean>;
  close(): Promise<void>;
}

const TIME_DIGITS = 13;

/** A number of milliseconds or a count as text of the same length, which sorts like the number. */
export function sortable(value: number): string {
  return String(Math.max(0, Math.floor(value))).padStart(TIME_DIGITS, "0");
}
