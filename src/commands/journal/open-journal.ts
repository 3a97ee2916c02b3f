import { setTimeout as sleep } from "node:timers/promises";
import { ledgerFolders } from "../../app/prepare/own-files.js";
import type { Settings } from "../../config/settings.js";
import { type LedgerReader, openLedgerReader } from "../../ledger/index.js";

/** A gateway may be making the ledger's file at this moment. It does not take longer than this. */
const MAKING_MS = 500;

/** Reads the ledger beside the gateways that write to it. */
export async function withJournal(settings: Settings, use: (reader: LedgerReader) => Promise<void>): Promise<void> {
  let problem: unknown;
  const onProblem = (met: unknown) => {
    problem = met;
  };
  const reader = await openLedgerReader(ledgerFolders(settings).folder, { onProblem });
  try {
    if (problem !== undefined) {
      problem = undefined;
      await sleep(MAKING_MS);
      await reader.ready();
    }
    if (problem !== undefined) {
      const reason = problem instanceof Error ? problem.message : String(problem);
      process.stderr.write(`curlew: A part of the ledger cannot be read: ${reason}\n`);
    }
    await use(reader);
  } finally {
    await reader.close();
  }
}
