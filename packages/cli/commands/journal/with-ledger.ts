import { type LedgerReader, openLedgerReader } from "@curlew/meter/ledger/index.js";
import { ledgerFolder } from "../../app/prepare/own-files.js";
import type { Settings } from "../../config/settings.js";
import type { Output } from "../../terminal/command-machine.js";

/** Reads the ledger, whether or not a gateway is writing to it. */
export async function withLedger<Result>(
  settings: Settings,
  onProblem: (problem: unknown) => void,
  read: (reader: LedgerReader) => Result | Promise<Result>,
): Promise<Result> {
  return read(openLedgerReader(ledgerFolder(settings), { onProblem }));
}

/** Reports a part of the ledger that cannot be read. */
export function warnOn(stderr: Output): (problem: unknown) => void {
  return (problem) => void stderr.write(`curlew: part of the ledger cannot be read: ${String(problem)}\n`);
}
