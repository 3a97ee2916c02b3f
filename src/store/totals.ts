import { blobKey, everything, ownerBytes } from "./key.js";
import { decodeFreshness, decodeMark, decodeSize } from "./record.js";
import type { Tables } from "./tables.js";

/** What is kept, as `stats` tells it. Known to this process only: the tables can always be counted again. */
export interface Totals {
  checkpoints: number;
  blobs: number;
  bytes: number;
}

/** Rows that keep track of a record, roughly: keys, marks, both directions of the reach. */
const trackingBytes = 200;

export function checkpointCost(recordBytes: number): number {
  return recordBytes + trackingBytes;
}

export function blobCost(bytes: number): number {
  return bytes + trackingBytes;
}

export function noteCost(recordBytes: number): number {
  return recordBytes + trackingBytes;
}

/** Looks at small rows only. */
export function countTotals(tables: Tables): Totals {
  const totals = { checkpoints: 0, blobs: 0, bytes: 0 };
  for (const { value } of tables.marks.rows(everything)) {
    totals.checkpoints++;
    totals.bytes += checkpointCost(decodeMark(value)?.bytes ?? 0);
  }
  const addBlob = (bytes: number) => {
    totals.blobs++;
    totals.bytes += blobCost(bytes);
  };
  const held = new Set<string>();
  for (const { key, value } of tables.holders.rows(everything)) {
    const blob = key.toString("latin1", 0, blobKeyBytes);
    if (!held.has(blob)) addBlob(decodeSize(value));
    held.add(blob);
  }
  for (const { key, value } of tables.fresh.rows(everything)) {
    if (!held.has(key.toString("latin1"))) addBlob(decodeFreshness(value)?.bytes ?? 0);
  }
  for (const { value } of tables.notes.rows(everything)) totals.bytes += noteCost(value.length);
  // Damaged blobs are dropped, but not from the books of those that reach them.
  return { ...totals, blobs: tables.blobs.count() ?? totals.blobs };
}

const blobKeyBytes = blobKey(Buffer.alloc(ownerBytes), Buffer.alloc(32)).length;

/** Another process works on the same tables: what we know of them is out of date. */
export function isOutOfDate(totals: Totals, tables: Tables): boolean {
  const checkpoints = tables.marks.count() ?? totals.checkpoints;
  const blobs = tables.blobs.count() ?? totals.blobs;
  return checkpoints !== totals.checkpoints || blobs !== totals.blobs;
}

const row = Buffer.from("totals");

/** Kept with the changes it counts, so that a large store need not be counted at each start. */
export function saveTotals(tables: Tables, { checkpoints, blobs, bytes }: Totals): void {
  const value = Buffer.alloc(24);
  value.writeDoubleBE(checkpoints, 0);
  value.writeDoubleBE(blobs, 8);
  value.writeDoubleBE(bytes, 16);
  const saved = tables.totals.get(row);
  if (saved === undefined || !value.equals(saved)) tables.totals.put(row, value);
}

/** Undefined where there is no telling without counting. */
export function loadTotals(tables: Tables): Totals | undefined {
  const saved = tables.totals.get(row);
  const totals = { checkpoints: 0, blobs: 0, bytes: 0 };
  if (saved?.length === 24) {
    const numbers = new DataView(saved.buffer, saved.byteOffset, saved.byteLength);
    totals.checkpoints = numbers.getFloat64(0);
    totals.blobs = numbers.getFloat64(8);
    totals.bytes = numbers.getFloat64(16);
  }
  return isOutOfDate(totals, tables) ? undefined : totals;
}
