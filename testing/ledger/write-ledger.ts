import { ledgerFolder } from "../../packages/cli/app/prepare/own-files.js";
import { placesIn } from "../../packages/cli/config/places.js";
import { systemClock } from "../../packages/gateway/system/clock.js";
import type { RequestRecord } from "../../packages/gateway/turn/events/channels.js";
import { openLedger } from "../../packages/meter/ledger/index.js";
import { playRequest } from "./sample-requests.js";

/** Fewer than the ledger holds in memory. */
const CHUNK = 2_000;
const KEPT_DAYS = 90;
/** The gateway id of the records, which no real gateway has. */
export const WRITTEN_BY = "write-ledger";

/**
 * Writes made-up requests into the ledger of a home, through its own writer. The records must have ended, and belong to the
 * gateway `WRITTEN_BY`.
 */
export async function writeLedger(home: string, records: Iterable<RequestRecord>): Promise<void> {
  let chunk: RequestRecord[] = [];
  for (const record of records) {
    chunk.push(record);
    if (chunk.length < CHUNK) continue;
    await writeChunk(home, chunk);
    chunk = [];
  }
  await writeChunk(home, chunk);
}

async function writeChunk(home: string, records: readonly RequestRecord[]): Promise<void> {
  const problems: unknown[] = [];
  const ledger = openLedger({
    folder: ledgerFolder({ places: placesIn(home) }),
    gateway: WRITTEN_BY,
    clock: systemClock,
    keptDays: KEPT_DAYS,
    keepsTexts: false,
    onProblem: (problem) => problems.push(problem),
  });
  for (const record of records) playRequest(record);
  await ledger.close();
  if (problems.length > 0) throw new AggregateError(problems, "The ledger could not be written.");
}
