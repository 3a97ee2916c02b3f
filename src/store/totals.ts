import { asBuffer } from "./bytes.js";
import { everything, idBytes, ownerBytes } from "./key.js";
import { decodeFreshness, decodeMark, decodeSize } from "./record.js";
import type { StoreStats } from "./store.js";
import { work } from "./sweep-work.js";
import type { Tables } from "./tables.js";

/** What is kept, as `stats` tells it. Known to this process only: the tables can always be counted again. */
type Totals = Record<keyof StoreStats, number>;

/** In the order in which they are saved. */
const figures = ["checkpoints", "blobs", "bytes"] as const;

/** Rows that keep track of a record, roughly: keys, marks, both directions of the reach. */
const trackingBytes = 200;

/** What a record counts for, by its bytes. */
export function costOf(bytes: number): number {
  return bytes + trackingBytes;
}

/** Looks at small rows only. What changes between two steps may be counted twice or not at all. */
function* countTotals(tables: Tables): Generator<number, Totals> {
  const totals = { checkpoints: 0, blobs: 0, bytes: 0 };
  for (const { value } of tables.marks.rows(everything)) {
    totals.checkpoints++;
    totals.bytes += costOf(decodeMark(value)?.bytes ?? 0);
    yield work.row;
  }
  const addBlob = (bytes: number) => {
    totals.blobs++;
    totals.bytes += costOf(bytes);
  };
  const held = new Set<string>();
  for (const { key, value } of tables.holders.rows(everything)) {
    const blob = key.toString("latin1", 0, blobKeyBytes);
    if (!held.has(blob)) addBlob(decodeSize(value));
    held.add(blob);
    yield work.row;
  }
  for (const { key, value } of tables.fresh.rows(everything)) {
    if (!held.has(key.toString("latin1"))) addBlob(decodeFreshness(value)?.bytes ?? 0);
    yield work.row;
  }
  for (const { value } of tables.noteMarks.rows(everything)) {
    totals.bytes += costOf(decodeFreshness(value)?.bytes ?? 0);
    yield work.row;
  }
  // Damaged blobs are dropped, but not from the books of those that reach them.
  return { ...totals, blobs: tables.blobs.count() ?? totals.blobs };
}

const blobKeyBytes = ownerBytes + idBytes;

/** Two processes on one folder do not know of each other's changes; counting takes a while where there is much. */
const countEveryMs = 10 * 60 * 1000;
const row = Buffer.from("totals");

/** Keeps the totals in step with every change, and saves them with the changes: a large store need not be counted at each start. */
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

  /** 0 where there is no telling without counting. */
  get bytes(): number {
    return this.#totals?.bytes ?? 0;
  }

  /** Counts everything where there is no telling otherwise, which takes a while where there is much. */
  counted(): Readonly<Totals> {
    for (const _ of this.recount());
    return this.#totals ?? { checkpoints: 0, blobs: 0, bytes: 0 };
  }

  /** The same in steps that yield the work they took. */
  *recount(): Generator<number, undefined> {
    const isDue = this.#now() - this.#countedMs >= countEveryMs;
    if (this.#totals !== undefined && !(isDue && this.#isOutOfDate(this.#totals))) return;
    this.#totals = yield* countTotals(this.#tables);
    this.#countedMs = this.#now();
    this.save();
  }

  /** Saved once for all changes that are made together, and before they are committed. */
  add(change: Partial<Totals>): void {
    this.adjust(change);
    if (this.#isSaving) return;
    this.#isSaving = true;
    queueMicrotask(() => {
      this.#isSaving = false;
      this.save();
    });
  }

  /** For many changes at once: call `save` afterwards. */
  adjust(change: Partial<Totals>): void {
    if (this.#totals === undefined) return;
    for (const figure of figures) this.#totals[figure] += change[figure] ?? 0;
  }

  /** Something was dropped whose size nobody knows. */
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
