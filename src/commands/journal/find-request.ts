import type { LedgerEntry, LedgerReader } from "../../ledger/index.js";
import { CommandFailure } from "../line/command-failure.js";
import { harmless } from "../terminal/harmless.js";

/** Among so many of the newest requests the beginning of an id is enough. */
const MAX_LOOKED_THROUGH = 10_000;
const MIN_BEGINNING = 4;
const MAX_NAMED = 5;

/**
 * The request with this id, or the only one whose id begins with it.
 * @throws {CommandFailure} There is none, or several.
 */
export function findRequest(reader: LedgerReader, given: string): LedgerEntry {
  const exact = reader.entry(given);
  if (exact !== undefined) return exact;
  const shown = harmless(JSON.stringify(given), 140);
  if (given.length < MIN_BEGINNING) {
    throw new CommandFailure(
      1,
      `There is no request ${shown}. The beginning of an id needs ${MIN_BEGINNING} characters.`,
    );
  }
  const found = reader.entries({ limit: MAX_LOOKED_THROUGH }).filter(({ id }) => id.startsWith(given));
  const [only] = found;
  if (only === undefined) {
    throw new CommandFailure(1, `No request has an id that begins with ${shown}. See: curlew logs`);
  }
  if (found.length > 1) {
    const ids = found.slice(0, MAX_NAMED).map(({ id }) => `  ${id}`);
    throw new CommandFailure(1, [`The ids of ${found.length} requests begin with ${shown}:`, ...ids].join("\n"));
  }
  return only;
}
