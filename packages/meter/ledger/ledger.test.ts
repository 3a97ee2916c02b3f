import { statSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import { publish } from "@curlew/gateway/turn/events/channels.js";
import { describe, expect, it } from "vitest";
import { detailIn, entryIn, LedgerUnderTest, ledgerInMemory } from "../../../testing/ledger/ledger-under-test.js";
import {
  abandonRun,
  pauseRequest,
  playRequest,
  sampleRecord,
  sampleUsage,
} from "../../../testing/ledger/sample-requests.js";
import { ManualClock } from "../../../testing/manual-clock.js";

const HOUR_MS = 3_600_000;
/** A Monday in November, 10:40 in Paris. */
const NOW_MS = new Date(2026, 10, 16, 10, 40).getTime();

describe("the ledger", () => {
  it("shows a request as soon as it has ended, to the gateway and to other processes", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const ledger = t.open();
    playRequest(sampleRecord("one", NOW_MS, { warnings: ["careful"], texts: { asked: "secret", answered: "secret" } }));
    const expected = {
      id: "one",
      atMs: NOW_MS,
      client: "tester",
      model: "Auto",
      turnId: "one",
      context: { input: 1_000, cacheRead: 600, estimated: false },
      tokens: { input: 1_000, output: 50, reasoning: 20, estimated: false },
      toolRounds: 0,
      firstByteMs: 30,
      totalMs: 100,
      outcome: "ok",
      message: null,
    };
    const detail = { askedModel: "auto", plannedMs: 2, openedMs: 5, warnings: ["careful"], texts: null };
    const rollUp = { client: "tester", model: "Auto", requests: 1, turns: 1, warm: 1, tokens: { input: 1_000 } };
    const reader = t.read();
    for (const each of [ledger.reader, reader]) {
      expect(each.entries({ limit: 9 })).toMatchObject([expected]);
      expect(detailIn(each, "one")).toMatchObject(detail);
      expect(each.rollUps("hour", NOW_MS - HOUR_MS, NOW_MS)).toMatchObject([
        { startMs: NOW_MS - 40 * 60_000, ...rollUp },
      ]);
      expect(each.rollUps("day", 0, NOW_MS)).toMatchObject([rollUp]);
      expect(each.thread("t1")).toMatchObject({ requests: 1, tokens: { output: 50 } });
      expect(each.conduct(0, NOW_MS)).toMatchObject([{ requests: 1, runs: 1, peakRequests: 1, peakRuns: 1 }]);
    }
    await reader.ready();
    expect(reader.entries({ limit: 9 })).toMatchObject([expected]);
    expect(t.problems).toEqual([]);
    expect(t.lines().join("")).not.toContain("secret");
  });

  it("has entries for failures, even before a request was received, and for clients that left", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    const error = new GatewayError("overloaded", "Cursor has too much to do.");
    publish("curlew:request:failed", sampleRecord("bad", NOW_MS, { outcome: "invalid_json", turnUsage: undefined }));
    playRequest(sampleRecord("busy", NOW_MS + 1, { outcome: "overloaded", error, turnUsage: undefined }));
    playRequest(sampleRecord("left", NOW_MS + 2, { outcome: "client-left", turnUsage: undefined }));
    expect(reader.entries({ limit: 9 }).map(({ id, outcome, message }) => [id, outcome, message])).toEqual([
      ["left", "client-left", null],
      ["busy", "overloaded", "Cursor has too much to do."],
      ["bad", "invalid_json", null],
    ]);
    expect(reader.entries({ limit: 9, isFailed: true }).map(({ id }) => id)).toEqual(["busy", "bad"]);
    expect(reader.rollUps("day", 0, NOW_MS)).toMatchObject([{ requests: 3, failures: 2, turns: 0 }]);
    expect(reader.conduct(0, NOW_MS)).toMatchObject([{ cancelled: 1 }]);
  });

  it("counts the runs of what clients send by themselves apart from messages, also when the day is over", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    const yesterday = NOW_MS - 24 * HOUR_MS;
    playRequest(sampleRecord("typed", yesterday));
    playRequest(sampleRecord("free", yesterday + 1, { side: "title", runs: 0 }));
    playRequest(sampleRecord("suggested", yesterday + 2, { side: "suggestion" }));
    const sum = { messages: 1, runs: 2, title: 0, suggestion: 1, tokens: { input: 3_000 } };
    expect(reader.rollUps("day", 0, NOW_MS)).toMatchObject([sum]);
    await t.summedUp(1);
    for (const each of [reader, t.read()]) {
      expect(each.rollUps("day", 0, NOW_MS)).toMatchObject([sum]);
      expect(each.entries({ limit: 9 }).map(({ side }) => side)).toEqual(["suggestion", "title", null]);
    }
  });

  it("knows which requests the owner's limits admitted, whatever their outcome", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    const play = (id: string, changes: Parameters<typeof sampleRecord>[2]) =>
      playRequest(sampleRecord(id, NOW_MS, { turnUsage: undefined, ...changes }));
    play("answered", {});
    play("at Cursor's limit", { outcome: "rate_limit_exceeded", runs: 1 });
    play("steered", { runs: 0, round: 2, continuity: "warm:steered" });
    expect(reader.thread("t1")).toMatchObject({ requests: 3, unadmitted: 0 });
    play("refused", { outcome: "quota_exceeded", runs: 0 });
    play("too fast", { outcome: "rate_limit_exceeded", runs: 0 });
    expect(reader.thread("t1")).toMatchObject({ requests: 5, unadmitted: 2 });
    play("unreadable", { outcome: "invalid_request", runs: 0, thread: undefined });
    play("joined", { joined: "answered", runs: 0, thread: undefined });
    play("a tool round", { runs: 0, round: 2, continuity: "warm" });
    expect(reader.rollUps("day", 0, NOW_MS)).toMatchObject([{ requests: 8, unadmitted: 5 }]);
  });

  it("lists the open requests at any time", () => {
    const t = new LedgerUnderTest(NOW_MS);
    const ledger = t.open();
    const records = ["one", "two", "three"].map((id) => sampleRecord(id, NOW_MS));
    for (const record of records) publish("curlew:request:received", record);
    publish("curlew:request:received", { ...sampleRecord("elsewhere", NOW_MS), gateway: "another" });
    const openIds = () => ledger.openRecords().map(({ requestId }) => requestId);
    expect(openIds().sort()).toEqual(["one", "three", "two"]);
    for (const record of records.slice(0, 2)) publish("curlew:request:finished", record);
    expect(openIds()).toEqual(["three"]);
    if (records[2] !== undefined) publish("curlew:request:failed", records[2]);
    expect(openIds()).toEqual([]);
  });

  it("distinguishes two requests with the same id", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    const [first, second] = [sampleRecord("same", NOW_MS), sampleRecord("same", NOW_MS)];
    for (const record of [first, second]) publish("curlew:request:received", record);
    for (const record of [first, second]) publish("curlew:request:finished", record);
    expect(reader.entries({ limit: 9 })).toHaveLength(2);
    expect(reader.conduct(0, NOW_MS)).toMatchObject([{ requests: 2, peakRequests: 2 }]);
  });

  it("books the estimate of an abandoned run once, on its last request, and never replaces measured tokens", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    const estimate = { ...sampleUsage, inputTokens: 70, estimated: true };
    const paused = pauseRequest(sampleRecord("paused", NOW_MS, { turnUsage: undefined, clientCalls: 1 }));
    const measured = pauseRequest(sampleRecord("measured", NOW_MS));
    for (const record of [paused, paused, measured, sampleRecord("unknown", NOW_MS)]) abandonRun(record, estimate);
    expect(entryIn(reader, "paused")).toMatchObject({
      tokens: { input: 70, estimated: true },
      abandoned: "lease-expired",
      toolRounds: 1,
    });
    expect(entryIn(reader, "measured")).toMatchObject({ tokens: { input: 1_000, estimated: false } });
    expect(reader.rollUps("day", 0, NOW_MS)).toMatchObject([
      { requests: 2, turns: 2, estimatedTurns: 1, tokens: { input: 1_070 } },
    ]);
    expect(reader.thread("t1")).toMatchObject({ requests: 2, tokens: { input: 1_070 } });
    expect(reader.conduct(0, NOW_MS)).toMatchObject([{ abandoned: { "lease-expired": 2 }, peakRuns: 2 }]);
  });

  it("books an abandoned run on its own request when a client reuses an id", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    const [first] = ["first", "second"].map((client, index) =>
      pauseRequest(
        sampleRecord("same", NOW_MS + index, { client, turnId: client, turnUsage: undefined, clientCalls: 1 }),
      ),
    );
    if (first !== undefined) abandonRun(first);
    expect(reader.entries({ limit: 9 }).map(({ client, abandoned }) => [client, abandoned])).toEqual([
      ["second", null],
      ["first", "lease-expired"],
    ]);
  });

  it("returns the matching entries, newest first", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    for (let index = 0; index < 50; index++) {
      const client = index % 2 === 0 ? "even" : "odd";
      const turnId = index < 40 ? `r${index}` : "r39";
      playRequest(sampleRecord(`r${index}`, NOW_MS + index, { client, turnId }));
    }
    const ids = (filter: object) => reader.entries({ limit: 3, ...filter }).map(({ id }) => id);
    expect(ids({})).toEqual(["r49", "r48", "r47"]);
    expect(ids({ client: "even" })).toEqual(["r48", "r46", "r44"]);
    expect(ids({ toMs: NOW_MS + 22 })).toEqual(["r21", "r20", "r19"]);
    expect(ids({ fromMs: NOW_MS + 48 })).toEqual(["r49", "r48"]);
    expect(ids({ turnId: "r39", limit: 20 })).toHaveLength(11);
    expect(ids({ model: "Other" })).toEqual([]);
    expect(ids({ limit: 0 })).toEqual([]);
  });

  it("books requests in the hour that the clock shows, even after it was set back", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    playRequest(sampleRecord("before", t.clock.now()));
    const open = sampleRecord("across", t.clock.now() + 1, { endedMs: t.clock.now() - 2 * HOUR_MS });
    publish("curlew:request:received", open);
    t.clock.setBack(2 * HOUR_MS);
    publish("curlew:request:finished", open);
    playRequest(sampleRecord("after", t.clock.now()));
    expect(reader.entries({ limit: 9 }).map(({ id, totalMs }) => [id, totalMs])).toEqual([
      ["across", 0],
      ["before", 100],
      ["after", 100],
    ]);
    expect(reader.rollUps("hour", 0, NOW_MS).map(({ requests }) => requests)).toEqual([1, 2]);
    expect(t.problems).toEqual([]);
  });

  it("keeps texts if the owner wants them", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open({ keepsTexts: true });
    const texts = { asked: "What is\tthis?\n".repeat(3_000), answered: "A bird. 🐦" };
    playRequest(sampleRecord("one", NOW_MS, { texts }));
    expect(detailIn(reader, "one")?.texts).toEqual(texts);
  });

  it.skipIf(process.platform === "win32")("is readable only by its owner", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    playRequest(sampleRecord("one", NOW_MS));
    const paths = [t.folder, join(t.folder, t.files()[0] ?? "")];
    expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it("creates no file before the first line", () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    t.clock.advance(HOUR_MS);
    expect(statSync(t.folder, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe("a ledger in memory", () => {
  it("reads like one on disk", async () => {
    const ledger = ledgerInMemory(new ManualClock(NOW_MS));
    const { reader } = ledger;
    const check = () => {
      expect(reader.entries({ limit: 9 })).toHaveLength(2);
      expect(entryIn(reader, "first")).toMatchObject({ outcome: "ok" });
      expect(detailIn(reader, "second")).toMatchObject({ askedModel: "auto" });
      expect(reader.rollUps("day", 0, NOW_MS)).toMatchObject([{ requests: 2 }]);
    };
    playRequest(sampleRecord("first", NOW_MS));
    playRequest(sampleRecord("second", NOW_MS + 1));
    check();
    await ledger.close();
    check();
  });

  it("evicts the oldest requests when it is full", () => {
    const { reader } = ledgerInMemory(new ManualClock(NOW_MS));
    for (let index = 0; index < 4_250; index++) playRequest(sampleRecord(`r${index}`, NOW_MS + index));
    const entries = reader.entries({ limit: 9_999 });
    expect([entries.length, entries.at(-1)?.id, entries[0]?.id]).toEqual([4_000, "r250", "r4249"]);
    expect(reader.rollUps("day", 0, NOW_MS)).toMatchObject([{ requests: 4_250 }]);
  });
});
