import { ledgerFolders } from "../../app/prepare/own-files.js";
import type { Settings } from "../../config/settings.js";
import { type LedgerReader, openLedgerReader } from "../../ledger/index.js";

/** The settings that say where the ledger is. */
export const journalSettings = [] as const;

/** Reads the ledger beside the gateways that write to it. */
export async function withJournal(settings: Settings, use: (reader: LedgerReader) => Promise<void>): Promise<void> {
  const onProblem = () => void process.stderr.write("curlew: A part of the ledger cannot be read.\n");
  const reader = await openLedgerReader(ledgerFolders(settings).folder, { onProblem });
  try {
    await use(reader);
  } finally {
    await reader.close();
  }
}
