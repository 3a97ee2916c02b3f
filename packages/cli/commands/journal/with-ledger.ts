import { type LedgerReader, openLedgerReader } from "@curlew/meter/ledger/index.js";
import { ledgerFolder } from "../../app/prepare/own-files.js";
import type { Settings } from "../../config/settings.js";

/** Reads the ledger, whether or not a gateway is writing to it. */
export async function withLedger<Result>(
  settings: Settings,
  read: (reader: LedgerReader) => Result | Promise<Result>,
  onProblem = (problem: unknown): void => {
    process.stderr.write(`curlew: part of the ledger cannot be read: ${String(problem)}\n`);
  },
): Promise<Result> {
  return read(openLedgerReader(ledgerFolder(settings), { onProblem }));
}
