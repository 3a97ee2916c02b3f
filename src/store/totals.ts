import { asBuffer, everything, ID_BYTES, OWNER_BYTES } from "./key.js";
import { decodeFreshness, decodeMark, decodeSize } from "./record.js";
import type { StoreStats } from "./store.js";
import { work } from "./sweep-work.js";
import type { Tables } from "./tables.js";

/** The totals that `stats` reports. Only this process knows them; the tables can always be counted again. */
type Totals = Record<keyof StoreStats, number>;

const figures = ["checkpoints", "blobs", "bytes"] as const;

/** The rough size of the rows that track a record: keys, marks, and its blobs in both directions. */
const TRACKING_BYTES = 200;

/** The bytes that a record of this size counts for. */
export function costOf(bytes: number): number {
  return bytes + TRACKING_BYTES;
}

/** Reads small rows only. A row that changes between two steps may be counted twice or not at all. */
function* countTotals(tables: Tables): Generator<number, Totals> {
  const totals = { checkpoints: 0, blobs: 0, bytes: 0 };
  for (const row of tables.marks.rows(everything)) {
    if (row !== undefined) {
      totals.checkpoints++;
      totals.bytes += costOf(decodeMark(row.value)?.bytes ?? 0);
    }
    yield work.row;
  }
  const addBlob = (bytes: number) => {
    totals.blobs++;
    totals.bytes += costOf(bytes);
  };
  const held = new Set<string>();
  for (const row of tables.holders.rows(everything)) {
    if (row !== undefined) {
      const blob = row.key.toString("latin1", 0, BLOB_KEY_BYTES);
      if (!held.has(blob)) addBlob(decodeSize(row.value));
      held.add(blob);
    }
    yield work.row;
  }
  for (const row of tables.fresh.rows(everything)) {
    if (row !== undefined && !held.has(row.key.toString("latin1"))) addBlob(decodeFreshness(row.value)?.bytes ?? 0);
    yield work.row;
  }
  for (const row of tables.noteMarks.rows(everything)) {
    if (row !== undefined) totals.bytes += costOf(decodeFreshness(row.value)?.bytes ?? 0);
    yield work.row;
  }
  // Damaged blobs are dropped, but the rows of those that reach them stay.
  return { ...totals, blobs: tables.blobs.count() ?? totals.blobs };
}

const BLOB_KEY_BYTES = OWNER_BYTES + ID_BYTES;

/** Recounting finds the changes of other processes on the same folder. It is rare because counting a large store takes a while. */
const COUNT_EVERY_MS = 10 * 60 * 1000;
const row = Buffer.from("totals");

/** Updates the totals with every change and saves them with it, so that a large store need not be counted at each start. */
export class Ledger {
  readonly #tables: Tables;
  readonly #now: () => number;
  #totals: Totals | undefined;
  #countedMs = Number.NEGATIVE_INFINITY;
  #isSaving = false;

  constructor(tables: Tables, now: () => number) {
    this.#tables = tables;
    this.#now = now;
    this.#totals = this.#load();
  }

  /** 0 when the total is not known without counting. */
  get bytes(): number {
    return this.#totals?.bytes ?? 0;
  }

  get known(): Readonly<Totals> | undefined {
    return this.#totals;
  }

  /** The totals. Counts everything when they are not known, which takes a while in a large store. */
  counted(): Readonly<Totals> {
    for (const _ of this.recount());
    return this.#totals ?? { checkpoints: 0, blobs: 0, bytes: 0 };
  }

  /** Counts everything, in steps that yield the work they took. */
  *recount(): Generator<number, undefined> {
    const isDue = this.#now() - this.#countedMs >= COUNT_EVERY_MS;
    if (this.#totals !== undefined && !(isDue && this.#isOutOfDate(this.#totals))) return;
    this.#totals = yield* countTotals(this.#tables);
    this.#countedMs = this.#now();
    this.save();
  }

  /** Adds a change. Changes that are made together are saved once, before they are committed. */
  add(change: Partial<Totals>): void {
    this.adjust(change);
    if (this.#isSaving) return;
    this.#isSaving = true;
    queueMicrotask(() => {
      this.#isSaving = false;
      this.save();
    });
  }

  /** Adds one of many changes without saving. The caller calls `save` afterwards. */
  adjust(change: Partial<Totals>): void {
    if (this.#totals === undefined) return;
    for (const figure of figures) this.#totals[figure] += change[figure] ?? 0;
  }

  /** Voids the totals, because something of unknown size was dropped. */
  forget(): void {
    this.#totals = undefined;
  }

  save(): void {
    if (this.#totals === undefined) return;
    const value = Buffer.alloc(8 * figures.length);
    for (const [at, figure] of figures.entries()) value.writeDoubleBE(this.#totals[figure], 8 * at);
    const saved = this.#tables.totals.get(row);
    if (saved === undefined || !value.equals(saved)) this.#tables.totals.put(row, value);
  }

  #load(): Totals | undefined {
    const totals = { checkpoints: 0, blobs: 0, bytes: 0 };
    const saved = this.#tables.totals.get(row);
    if (saved?.length === 8 * figures.length) {
      for (const [at, figure] of figures.entries()) totals[figure] = asBuffer(saved).readDoubleBE(8 * at);
    }
    return this.#isOutOfDate(totals) ? undefined : totals;
  }

  #isOutOfDate(totals: Totals): boolean {
    const checkpoints = this.#tables.marks.count() ?? totals.checkpoints;
    const blobs = this.#tables.blobs.count() ?? totals.blobs;
    return checkpoints !== totals.checkpoints || blobs !== totals.blobs;
  }
}
