import type { RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { describe, expect, it } from "vitest";
import { ledgerInMemory } from "../../../testing/ledger/ledger-under-test.js";
import { noonMs } from "../../../testing/ledger/sample-entries.js";
import { playRequest, sampleRecord } from "../../../testing/ledger/sample-requests.js";
import { ManualClock } from "../../../testing/manual-clock.js";
import type { EntrySearch, LedgerReader } from "./entry.js";
import { searchInSlices } from "./index.js";

/** A ledger with these requests, in this order. */
function ledgerWith(records: readonly RequestRecord[]): LedgerReader {
  const { reader } = ledgerInMemory(new ManualClock(noonMs));
  for (const record of records) playRequest(record);
  return reader;
}

describe("successive searches", () => {
  const recordNumber = (number: number, changes: Partial<RequestRecord> = {}) =>
    sampleRecord(`id-${number}`, noonMs, changes);

  /** Follows `before` from page to page. */
  async function walk(reader: LedgerReader, search: EntrySearch) {
    const pages: (readonly string[])[] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const page = await searchInSlices(reader, { ...search, ...(before !== undefined && { before }) });
      pages.push(page.entries.map(({ id }) => id));
      before = page.before;
    }
    return pages;
  }

  it("return every entry exactly once, even if all are of one millisecond", async () => {
    const reader = ledgerWith(Array.from({ length: 25 }, (_, number) => recordNumber(number)));
    const pages = await walk(reader, { limit: 10, maxLooked: 1_000 });
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(Array.from({ length: 25 }, (_, number) => `id-${24 - number}`));
  });

  it("end with the page that contains the last entry", async () => {
    const reader = ledgerWith(Array.from({ length: 20 }, (_, number) => recordNumber(number)));
    expect(await walk(reader, { limit: 10, maxLooked: 1_000 })).toMatchObject([{ length: 10 }, { length: 10 }]);
  });

  it("end after `maxLooked` entries, matching or not, and resume there", async () => {
    const reader = ledgerWith(
      Array.from({ length: 30 }, (_, number) => recordNumber(number, { model: number === 3 ? "rare" : "usual" })),
    );
    expect(await walk(reader, { limit: 10, maxLooked: 10, model: "rare" })).toEqual([[], [], ["id-3"]]);
  });

  it.each<[string, Omit<EntrySearch, "limit" | "maxLooked">, string[]]>([
    ["a client, also if recorded with its version", { client: "cline" }, ["id-4", "id-1"]],
    ["an unknown client", { client: "" }, ["id-6"]],
    ["a model", { model: 'quo"ted é' }, ["id-2"]],
    ["failures", { isFailed: true }, ["id-3"]],
    ["successes", { isFailed: false }, ["id-6", "id-5", "id-4", "id-2", "id-1", "id-0"]],
    ["a turn, by the id of its first request", { turnId: "id-0" }, ["id-5", "id-0"]],
    ["a conversation", { thread: "other" }, ["id-1"]],
    ["nothing", { client: "none" }, []],
  ])("find %s", async (_, filter, ids) => {
    const reader = ledgerWith([
      recordNumber(0),
      recordNumber(1, { client: "cline", thread: "other" }),
      recordNumber(2, { model: 'quo"ted é', client: "decline" }),
      recordNumber(3, { outcome: "timeout" }),
      recordNumber(4, { client: "cline/2", model: "cline" }),
      recordNumber(5, { turnId: "id-0", round: 1, outcome: "client-left" }),
      recordNumber(6, { client: "" }),
    ]);
    expect(await walk(reader, { ...filter, limit: 10, maxLooked: 100 })).toEqual([ids]);
  });
});

describe("a search among many entries", () => {
  const readMany = () =>
    ledgerWith(
      Array.from({ length: 3_900 }, (_, number) =>
        sampleRecord(`id-${number}`, noonMs, { model: number === 0 ? "first" : "usual" }),
      ),
    );

  it("yields between slices, and ends at its limit", async () => {
    const reader = readMany();
    const steps = reader.search({ client: "nobody", limit: 10, maxLooked: 3_000 });
    expect(steps.next()).toEqual({ done: false, value: undefined });
    const page = { entries: [], before: expect.stringMatching(/000p0$/) }; // number 900
    expect(steps.next()).toEqual({ done: true, value: page });
  });

  it("resumes where it ended, more than once", async () => {
    const reader = readMany();
    const search = { model: "first", limit: 10, maxLooked: 3_000 };
    const { before } = await searchInSlices(reader, search);
    for (let again = 0; again < 2; again++) {
      const rest = await searchInSlices(reader, { ...search, ...(before !== null && { before }) });
      expect([rest.entries.map(({ id }) => id), rest.before]).toEqual([["id-0"], null]);
    }
  });

  it("returns the requested number of entries across slices", async () => {
    const { entries } = await searchInSlices(readMany(), { limit: 2_500, maxLooked: 9_999 });
    expect(new Set(entries.map(({ id }) => id)).size).toBe(2_500);
  });

  it("ends with the slice that contains the wanted entry", async () => {
    const isLast = ({ id }: { readonly id: string }) => id === "id-3000";
    const { entries } = await searchInSlices(readMany(), { limit: 9_999, maxLooked: 9_999, isLast });
    expect(entries).toHaveLength(2_000);
  });
});

it("returns the details of the right request when a client reuses an id", () => {
  const records = ["a", "b"].map((askedModel, at) => sampleRecord("same", noonMs + at, { askedModel }));
  const reader = ledgerWith(records);
  const details = reader.entries({ id: "same", limit: 9 }).map((entry) => reader.detail(entry)?.askedModel);
  expect(details).toEqual(["b", "a"]);
});
