import { describe, expect, it } from "vitest";
import { noonMs, sampleEntry } from "../../testing/ledger/sample-entries.js";
import type { EntrySearch, LedgerEntry, LedgerReader } from "./entry.js";
import { addDetails } from "./journal.js";
import { entryKey } from "./log-item.js";
import { memoryTables } from "./memory-tables.js";
import { readerOf, type Unbooked } from "./reader.js";
import { update } from "./view.js";
import { entryText } from "./write-entry.js";

/** A list that counts how often it is booked. */
function counted() {
  const count = { booked: 0 };
  const list = (): Unbooked[] => [
    {
      rule: 0,
      get items() {
        count.booked++;
        return [];
      },
    },
  ];
  return { count, list };
}

const nothing = { ready: async () => {}, close: async () => {} };

describe("what is not in the tables yet", () => {
  it("is booked again only when something has changed", async () => {
    const tables = memoryTables();
    const { count, list } = counted();
    let unbooked = list();
    const reader = readerOf({ tables: () => tables, unbooked: () => unbooked, ...nothing });
    for (let again = 0; again < 3; again++) reader.thread("t1");
    reader.rollUps("day", 0, 1);
    expect(count.booked).toBe(1);
    unbooked = list();
    reader.thread("t1");
    expect(count.booked).toBe(2);
    await update(tables, (view) => view.put("threads", "t1", "[3,0,0,0,0,0,1]"));
    expect(reader.thread("t1")).toMatchObject({ requests: 3, unadmitted: 1 });
    expect(count.booked).toBe(3);
  });
});

describe("the days of earlier versions", () => {
  it("are read for a report on days, and for nothing else", () => {
    const tables = memoryTables();
    let added = 0;
    const former = { has: () => true, addTo: () => void added++ };
    const reader = readerOf({ tables: () => tables, unbooked: () => [], former, ...nothing });
    reader.thread("t1");
    reader.entries({ limit: 1 });
    reader.rollUps("hour", 0, 1);
    expect(added).toBe(0);
    reader.rollUps("day", 0, 1);
    expect(added).toBe(1);
  });
});

describe("a search in steps", () => {
  const entryNumber = (number: number, changes: Partial<LedgerEntry> = {}) =>
    sampleEntry({ id: `id-${number}`, atMs: noonMs, ...changes });

  /** Entries that all began in the same millisecond, as fast clients can make them. */
  async function ledgerWith(entries: readonly LedgerEntry[]) {
    const tables = memoryTables();
    await update(tables, (view) => {
      entries.forEach((entry, index) => {
        view.put("entries", entryKey(entry.atMs, String(index).padStart(4, "0")), entryText(entry));
      });
    });
    return readerOf({ tables: () => tables, unbooked: () => [], ...nothing });
  }

  /** All steps one after the other. */
  function walk(reader: LedgerReader, search: EntrySearch) {
    const pages: (readonly string[])[] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const page = reader.search({ ...search, ...(before !== undefined && { before }) });
      pages.push(page.entries.map(({ id }) => id));
      before = page.before;
    }
    return pages;
  }

  it("leaves out no entry and finds none twice, though all are of one millisecond", async () => {
    const reader = await ledgerWith(Array.from({ length: 25 }, (_, number) => entryNumber(number)));
    const pages = walk(reader, { limit: 10, maxLooked: 1_000 });
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(Array.from({ length: 25 }, (_, number) => `id-${24 - number}`));
  });

  it("says that there is no more when the last entry was the last", async () => {
    const reader = await ledgerWith(Array.from({ length: 20 }, (_, number) => entryNumber(number)));
    expect(walk(reader, { limit: 10, maxLooked: 1_000 }).map((page) => page.length)).toEqual([10, 10]);
  });

  it("ends a step after so many entries, whether they fit or not, and goes on from there", async () => {
    const reader = await ledgerWith(
      Array.from({ length: 30 }, (_, number) => entryNumber(number, { model: number === 3 ? "rare" : "usual" })),
    );
    expect(walk(reader, { limit: 10, maxLooked: 10, model: "rare" })).toEqual([[], [], ["id-3"]]);
  });

  it.each<[string, Omit<EntrySearch, "limit" | "maxLooked">, string[]]>([
    ["a client in any version", { client: "cline" }, ["id-4", "id-1"]],
    ["a client in one version", { client: "cline/2" }, ["id-4"]],
    ["a model", { model: 'quo"ted é' }, ["id-2"]],
    ["failures", { isFailed: true }, ["id-3"]],
    ["what went well", { isFailed: false }, ["id-5", "id-4", "id-2", "id-1", "id-0"]],
    ["a turn, whose first request has its id", { turnId: "id-0" }, ["id-5", "id-0"]],
    ["a conversation", { thread: "other" }, ["id-1"]],
    ["nothing", { client: "none" }, []],
  ])("finds %s", async (_, filter, ids) => {
    const reader = await ledgerWith([
      entryNumber(0),
      entryNumber(1, { client: "cline", thread: "other" }),
      entryNumber(2, { model: 'quo"ted é', client: "decline", message: '"cline' }),
      entryNumber(3, { outcome: "timeout", message: "late" }),
      entryNumber(4, { client: "cline/2", abandoned: "lost" }),
      entryNumber(5, { turnId: "id-0", round: 1, outcome: "client-left" }),
    ]);
    expect(walk(reader, { ...filter, limit: 10, maxLooked: 100 })).toEqual([ids]);
  });
});

describe("the detail of a request", () => {
  it("is that of its moment, where a client has used one id for many", async () => {
    const tables = memoryTables();
    await update(tables, (view) => {
      const lines = [0, 1].map((number) => {
        const key = entryKey(noonMs + number, "a");
        view.put("entries", key, entryText(sampleEntry({ id: "same", atMs: noonMs + number })));
        return `${key}\t[1,"model-${number}"]\n`;
      });
      addDetails(view, lines);
    });
    const reader = readerOf({ tables: () => tables, unbooked: () => [], ...nothing });
    expect([0, 1, 2].map((number) => reader.detail("same", noonMs + number)?.askedModel)).toEqual([
      "model-0",
      "model-1",
      undefined,
    ]);
  });
});
