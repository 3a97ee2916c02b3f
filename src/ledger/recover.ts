import { rmSync, statSync } from "node:fs";
import { yieldToOthers } from "../clock.js";
import { Booking } from "./booking.js";
import { rulesAfter, unforgotten } from "./forget-rules.js";
import type { ReadLog } from "./log-folder.js";
import { Spans } from "./spans.js";
import type { LedgerTables } from "./tables.js";
import { update } from "./view.js";

const SLICE_ITEMS = 100;

/**
 * Books what a process has left in its log when it ended, and deletes the log. Several processes may do that at once, and one that
 * is killed meanwhile leaves the log to the next: nothing is booked twice.
 * @throws Error when the tables could not be written
 */
export async function recoverLog(tables: LedgerTables, log: ReadLog): Promise<void> {
  const spans = new Spans();
  for (let at = 0; at < log.items.length; at += SLICE_ITEMS) {
    await update(tables, (view) => {
      const booking = new Booking(view, spans);
      const items = log.items.slice(at, at + SLICE_ITEMS);
      for (const item of unforgotten(rulesAfter(view, log.rule), items)) booking.book(item);
      booking.finish();
    });
    await yieldToOthers();
  }
  const touchedMs = statSync(log.path, { throwIfNoEntry: false })?.mtimeMs;
  // A log that has changed since it was read has an owner after all.
  if (touchedMs === log.touchedMs) rmSync(log.path, { force: true });
}
