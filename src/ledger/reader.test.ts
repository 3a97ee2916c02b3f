import { describe, expect, it, onTestFinished } from "vitest";
import { turnsDuring } from "../../testing/event-loop.js";
import { noonMs } from "../../testing/ledger/sample-entries.js";
import { playRequest, sampleRecord } from "../../testing/ledger/sample-requests.js";
import { ManualClock } from "../../testing/manual-clock.js";
import type { RequestRecord } from "../events/index.js";
import type { EntrySearch, LedgerReader } from "./entry.js";
import { createMemoryLedger, searchInSlices } from "./index.js";

/** A ledger with these requests, in the order in which they came. */
function ledgerWith(records: readonly RequestRecord[]): LedgerReader {
  const clock = new ManualClock(noonMs);
  const ledger = createMemoryLedger({ gateway: "gateway", clock, keepsTexts: false, onProblem: () => {} });
  onTestFinished(() => ledger.close());
  for (const record of records) playRequest(record);
  return ledger.reader;
}

describe("a search in steps", () => {
  const recordNumber = (number: number, changes: Partial<RequestRecord> = {}) =>
    sampleRecord(`id-${number}`, noonMs, changes);

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

  it("leaves out no entry and finds none twice, though all are of one millisecond", () => {
    const reader = ledgerWith(Array.from({ length: 25 }, (_, number) => recordNumber(number)));
    const pages = walk(reader, { limit: 10, maxLooked: 1_000 });
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(Array.from({ length: 25 }, (_, number) => `id-${24 - number}`));
  });

  it("says that there is no more when the last entry was the last", () => {
    const reader = ledgerWith(Array.from({ length: 20 }, (_, number) => recordNumber(number)));
    expect(walk(reader, { limit: 10, maxLooked: 1_000 }).map((page) => page.length)).toEqual([10, 10]);
  });

  it("ends a step after so many entries, whether they fit or not, and goes on from there", () => {
    const reader = ledgerWith(
      Array.from({ length: 30 }, (_, number) => recordNumber(number, { model: number === 3 ? "rare" : "usual" })),
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
  ])("finds %s", (_, filter, ids) => {
    const reader = ledgerWith([
      recordNumber(0),
      recordNumber(1, { client: "cline", thread: "other" }),
      recordNumber(2, { model: 'quo"ted é', client: "decline" }),
      recordNumber(3, { outcome: "timeout" }),
      recordNumber(4, { client: "cline/2" }),
      recordNumber(5, { turnId: "id-0", round: 1, outcome: "client-left" }),
    ]);
    expect(walk(reader, { ...filter, limit: 10, maxLooked: 100 })).toEqual([ids]);
  });
});

describe("a search in slices", () => {
  /** Counts the steps of a search through many entries of one millisecond. */
  function countingReader() {
    const records = Array.from({ length: 3_900 }, (_, number) =>
      sampleRecord(`id-${number}`, noonMs, { model: number === 0 ? "first" : "usual" }),
    );
    const reader = ledgerWith(records);
    const steps: number[] = [];
    const search = (wanted: EntrySearch) => {
      steps.push(wanted.maxLooked);
      return reader.search(wanted);
    };
    return { search, steps };
  }

  it("lets others work between its steps, and ends where it has to", async () => {
    const reader = countingReader();
    let page: { before: string | null } | undefined;
    const searching = async () => {
      page = await searchInSlices(reader, { client: "nobody", limit: 10, maxLooked: 3_000 });
    };
    expect(await turnsDuring(searching)).toBeGreaterThanOrEqual(1);
    expect(reader.steps).toEqual([2_000, 1_000]);
    expect(page).toMatchObject({ entries: [], before: expect.stringMatching(/000p0$/) }); // number 900
  });

  it("finds what it had not come to, also when it is gone on with by another", async () => {
    const reader = countingReader();
    const search = { model: "first", limit: 10, maxLooked: 3_000 };
    const { before } = await searchInSlices(reader, search);
    for (let again = 0; again < 2; again++) {
      const rest = await searchInSlices(reader, { ...search, ...(before !== null && { before }) });
      expect([rest.entries.map(({ id }) => id), rest.before]).toEqual([["id-0"], null]);
    }
  });

  it("has as many as it was asked for, over the steps", async () => {
    const { entries } = await searchInSlices(countingReader(), { limit: 2_500, maxLooked: 9_999 });
    expect(new Set(entries.map(({ id }) => id)).size).toBe(2_500);
  });
});

it("the detail of a request is its own, where a client has used one id for many", () => {
  const records = ["a", "b"].map((askedModel, at) => sampleRecord("same", noonMs + at, { askedModel }));
  const reader = ledgerWith(records);
  const details = reader.entries({ id: "same", limit: 9 }).map((entry) => reader.detail(entry)?.askedModel);
  expect(details).toEqual(["b", "a"]);
});
