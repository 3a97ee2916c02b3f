import { maskHeaders, maskPath, maskValue } from "./mask.js";
import type { JournalEntry } from "./world.js";

const KEPT = 500;

export interface Journal {
  record(entry: JournalEntry): void;
  /** The newest entries, oldest first, with every secret masked. */
  last(count: number): JournalEntry[];
  clear(): void;
}

export function createJournal(): Journal {
  let entries: JournalEntry[] = [];
  return {
    record(entry) {
      entries.push(entry);
      // Dropping half at once keeps the cost of a request constant.
      if (entries.length >= 2 * KEPT) entries = entries.slice(-KEPT);
    },
    last: (count) => (count === 0 ? [] : entries.slice(-KEPT).slice(-count).map(shown)),
    clear() {
      entries = [];
    },
  };
}

function shown({ path, httpVersion, headers, messages }: JournalEntry): JournalEntry {
  return {
    path: maskPath(path),
    httpVersion,
    headers: maskHeaders(headers),
    messages: messages.map((message) => maskValue(typeof message === "function" ? message() : message)),
  };
}
