import { ledgerFolder } from "../../src/app/prepare/own-files.js";
import { systemClock } from "../../src/clock.js";
import { placesIn } from "../../src/config/places.js";
import type { RequestRecord } from "../../src/events/channels.js";
import { openLedger } from "../../src/ledger/index.js";
import { playRequest } from "./sample-requests.js";

/** Fewer than the ledger holds in memory. */
const CHUNK = 2_000;
const KEPT_DAYS = 90;
/** Whose requests they are: no gateway has such an id. */
export const WRITTEN_BY = "write-ledger";

/**
 * Writes requests that never were into the ledger of a home, through its own writer. The records are those of the gateway
 * `WRITTEN_BY`, and have ended.
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
