import type { LedgerReader } from "./entry.js";
import { formerSource } from "./former-days.js";
import { readLedgerTables } from "./lmdb-tables.js";
import { readLogs } from "./log-folder.js";
import { memoryTables } from "./memory-tables.js";
import { readerOf } from "./reader.js";
import type { LedgerTables } from "./tables.js";

interface ReaderOptions {
  /** Where earlier versions kept the usage of each day. */
  readonly formerFolder?: string;
  readonly now?: () => number;
  /** Takes a problem because of which only a part of the ledger can be read. */
  readonly onProblem?: (problem: unknown) => void;
}

/**
 * Reads a ledger beside the gateways that write to it. Nothing on disk changes. A process that writes to the ledger itself has a
 * reader already: it cannot open the ledger for both.
 */
export async function openLedgerReader(folder: string, options: ReaderOptions = {}): Promise<LedgerReader> {
  const { formerFolder, now = Date.now, onProblem = () => {} } = options;
  const nothing = memoryTables();
  let stored: LedgerTables | undefined;
  // A ledger that has just begun has no tables yet. Whoever reads for long asks again.
  const ready = async () => {
    try {
      stored ??= await readLedgerTables(folder, now());
    } catch (problem) {
      onProblem(problem);
    }
  };
  await ready();
  return readerOf({
    tables: () => stored ?? nothing,
    unbooked: () => readLogs(folder, { nowMs: now() }),
    ...(formerFolder !== undefined && { former: formerSource(formerFolder) }),
    ready,
    close: async () => stored?.close(),
  });
}
