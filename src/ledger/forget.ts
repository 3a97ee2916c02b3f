import { forgetIn } from "./drop.js";
import { takeOverFormerDays } from "./former-days.js";
import { openLedgerTables } from "./lmdb-tables.js";
import { readLogs } from "./log-folder.js";
import { recoverLog } from "./recover.js";
import { dayStart } from "./spans.js";
import { nameOf } from "./write-entry.js";

interface Forgotten {
  /** Only requests before this day, such as `2026-11-15`. */
  readonly before?: string | undefined;
  /** Only requests of this client. */
  readonly client?: string | undefined;
}

interface ForgetOptions {
  readonly folder: string;
  readonly formerFolder: string;
  readonly now?: () => number;
}

/**
 * Forgets requests that have been written down, also by gateways that run: they forget what they still hold, within a minute at most.
 * @returns how many requests were forgotten
 * @throws RangeError if there is no such day
 * @throws Error when the ledger cannot be written
 */
export async function forgetRequests(
  { folder, formerFolder, now = Date.now }: ForgetOptions,
  { before, client }: Forgotten,
): Promise<number> {
  const nowMs = now();
  const beforeMs = before === undefined ? nowMs : dayStart(before);
  if (beforeMs === undefined) throw new RangeError(`There is no day ${before}.`);
  const { tables } = await openLedgerTables(folder, nowMs);
  try {
    for (const log of readLogs(folder, { nowMs })) if (!log.isAlive) await recoverLog(tables, log);
    await takeOverFormerDays(formerFolder, tables);
    return await forgetIn(tables, {
      // A rule about the future would go on forgetting.
      beforeMs: Math.min(beforeMs, nowMs),
      client: client === undefined ? undefined : nameOf(client),
    });
  } finally {
    await tables.close();
  }
}
