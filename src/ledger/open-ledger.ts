import type { Clock } from "../clock.js";
import type { RequestRecord } from "../events/index.js";
import type { LedgerReader } from "./entry.js";
import { formerSource } from "./former-days.js";
import { IntentLog } from "./intent-log.js";
import { Ledger } from "./ledger.js";
import type { LedgerOptions } from "./ledger-options.js";
import { openLedgerTables } from "./lmdb-tables.js";
import { type ReadLog, readLogs } from "./log-folder.js";
import { memoryTables } from "./memory-tables.js";
import { Upkeep } from "./upkeep.js";

/** The logs of other processes are read no more often than this by a gateway. */
const LOGS_FRESH_MS = 1_000;
/** A ledger in memory has no more rows than this in each table. */
const MAX_ROWS_IN_MEMORY = 10_000;

const nothing: readonly ReadLog[] = [];

/** A ledger that is being written. */
export interface OpenLedger {
  readonly reader: LedgerReader;
  /** The requests of this gateway that are being answered, in no order. */
  openRecords(): readonly RequestRecord[];
  close(): Promise<void>;
}

/** Begins to write down the requests of a gateway. Nothing is opened before there is something to write. */
export function openLedger(options: LedgerOptions): OpenLedger {
  const { folder, formerFolder, clock, onProblem } = options;
  const log = new IntentLog(folder);
  const ledger = new Ledger({
    ...options,
    log,
    others: otherLogs(folder, log, clock),
    former: formerSource(formerFolder),
    async openTables() {
      const { tables, warnings } = await openLedgerTables(folder, clock.now());
      for (const warning of warnings) onProblem(new Error(warning));
      return tables;
    },
  });
  const upkeep = new Upkeep(ledger, log, options);
  return {
    reader: ledger.reader,
    openRecords: () => ledger.openRecords(),
    async close() {
      await upkeep.close();
      await ledger.close();
    },
  };
}

/** Writes down the requests of a gateway in memory alone. */
export function createMemoryLedger(
  options: Pick<LedgerOptions, "gateway" | "clock" | "keepsTexts" | "onProblem">,
): OpenLedger {
  const tables = memoryTables(MAX_ROWS_IN_MEMORY);
  const ledger = new Ledger({
    ...options,
    log: undefined,
    others: () => nothing,
    openTables: () => Promise.resolve(tables),
  });
  return {
    reader: ledger.reader,
    openRecords: () => ledger.openRecords(),
    close: () => ledger.close(),
  };
}

function otherLogs(folder: string, own: IntentLog, clock: Clock): () => readonly ReadLog[] {
  let read: { logs: readonly ReadLog[]; atMs: number } | undefined;
  return () => {
    const atMs = clock.elapsed();
    if (read === undefined || atMs - read.atMs > LOGS_FRESH_MS) {
      const logs = readLogs(folder, { nowMs: clock.now(), except: own.path });
      read = { logs: logs.length === 0 ? nothing : logs, atMs };
    }
    return read.logs;
  };
}
