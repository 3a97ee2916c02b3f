import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LedgerChildren, SaidRequests, saidBy } from "../../testing/ledger/ledger-children.js";
import { LedgerUnderTest } from "../../testing/ledger/ledger-under-test.js";
import { playRequest, sampleRecord, sampleUsage } from "../../testing/ledger/sample-requests.js";
import { publish } from "../events/index.js";
import { openLedgerReader } from "./index.js";
import { readLogs, readLogsInSlices } from "./log-folder.js";

const NOW_MS = new Date(2026, 10, 16, 10, 40).getTime();
const MINUTE_MS = 60_000;
/** No process has this id. */
const NO_PID = 2 ** 30;

/** Copies the log of this process as if a process had left it that is dead. */
function leaveCopy(t: LedgerUnderTest, rest = ""): void {
  const name = t.logs()[0] ?? "";
  const text = readFileSync(join(t.logsFolder, name), "utf8");
  writeFileSync(join(t.logsFolder, `${NO_PID}-abc.log`), text.replace(`[1,${process.pid},`, `[1,${NO_PID},`) + rest);
}

const outcomes = (reader: { entries(filter: { limit: number }): { id: string; outcome: string }[] }) =>
  reader.entries({ limit: 99 }).map(({ id, outcome }) => `${id} ${outcome}`);

describe("the log of a dead process", () => {
  it("is read by others, and recovered by the next gateway, once", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const dead = t.open();
    playRequest(sampleRecord("done", NOW_MS));
    publish("curlew:request:received", sampleRecord("cut", NOW_MS + 1));
    leaveCopy(t, "e\tthis line was not written to its e");
    rmSync(join(t.logsFolder, t.logs().find((name) => name.startsWith(`${process.pid}-`)) ?? ""));
    const expected = ["cut interrupted", "done ok"];
    const before = await t.read();
    expect(outcomes(before)).toEqual(expected);
    expect(before.entry("cut")).toMatchObject({ client: "tester", model: "auto", tokens: null, totalMs: null });
    const next = t.open({ gateway: "next" });
    t.clock.advance(2_000);
    await expect.poll(() => t.logs().some((name) => name.startsWith(`${NO_PID}-`))).toBe(false);
    for (const reader of [next.reader, await t.read()]) {
      expect(outcomes(reader)).toEqual(expected);
      expect(reader.rollUps("day", 0, NOW_MS)).toMatchObject([
        { model: "Auto", requests: 1, failures: 0, tokens: { input: 1_000 } },
        { model: "auto", requests: 1, failures: 1, tokens: { input: 0 } },
      ]);
    }
    await dead.close();
    expect(t.problems).toEqual([]);
  });

  it("may be taken from a process that lives: it writes a new one, and the true end replaces what was booked", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    const record = sampleRecord("long", NOW_MS, { clientCalls: 1 });
    publish("curlew:request:received", record);
    leaveCopy(t);
    rmSync(join(t.logsFolder, t.logs().find((name) => name.startsWith(`${process.pid}-`)) ?? ""));
    t.open({ gateway: "other" });
    t.clock.advance(2_000);
    await expect.poll(() => t.logs()).toEqual([]);
    await reader.ready();
    expect(outcomes(reader)).toEqual(["long interrupted"]);
    t.clock.advance(2 * MINUTE_MS);
    playRequest(sampleRecord("next", NOW_MS + 1));
    expect(t.lines().filter((line) => line.startsWith("r"))).toHaveLength(2);
    publish("curlew:request:finished", record);
    const check = () => {
      expect(outcomes(reader)).toEqual(["next ok", "long ok"]);
      expect(reader.rollUps("hour", 0, NOW_MS)).toMatchObject([{ requests: 2, failures: 0, tokens: { input: 2_000 } }]);
      expect(reader.conduct(0, NOW_MS)).toMatchObject([{ requests: 2, runs: 2 }]);
    };
    check();
    await t.moved();
    check();
  });

  it("has the estimate of a run that was given up while its request was open", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    const record = sampleRecord("cut", NOW_MS, { turnUsage: undefined });
    publish("curlew:request:received", record);
    const usage = { ...sampleUsage, estimated: true };
    const run = { gateway: "gateway", request: record, requestId: "cut", reason: "shutdown", usage } as const;
    publish("curlew:run:abandoned", run);
    leaveCopy(t);
    const expected = { outcome: "interrupted", abandoned: "shutdown", tokens: { input: 1_000, estimated: true } };
    expect((await t.read()).entry("cut")).toMatchObject(expected);
    publish("curlew:request:failed", record);
    expect((await t.read()).entry("cut")).toMatchObject({ abandoned: "shutdown", tokens: { estimated: true } });
  });

  it("has the estimate of a turn whose run waited, with all of its rounds", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    const pause = (id: string, turnId: string, round: number) => {
      const record = sampleRecord(id, NOW_MS + round, { turnUsage: undefined, turnId, round, clientCalls: 1 });
      publish("curlew:request:received", record);
      publish(round === 0 ? "curlew:request:opened" : "curlew:request:resumed", record);
      publish("curlew:request:paused", record);
      publish("curlew:request:finished", record);
      return record;
    };
    for (const id of ["waits", "ends"]) pause(id, id, 0);
    const dropped = pause("dropped", "dropped", 0);
    pause("waits still", "waits", 1);
    // What was moved into the tables leaves the log, but not the turns that wait.
    await t.movedEntries(4);
    playRequest(sampleRecord("end", NOW_MS + 2, { turnId: "ends", round: 1 }));
    // Another request with the id of a turn is not its next round.
    playRequest(sampleRecord("waits", NOW_MS + 3));
    const usage = { ...sampleUsage, estimated: true };
    publish("curlew:run:abandoned", {
      gateway: "gateway",
      request: dropped,
      requestId: "dropped",
      reason: "lease-expired",
      usage,
    });
    const found = () =>
      t.readOnce((reader) =>
        reader.entries({ limit: 9 }).map(({ id, tokens, abandoned }) => [id, tokens?.input, abandoned]),
      );
    expect(await found()).toContainEqual(["waits still", undefined, null]);
    leaveCopy(t);
    const expected = [
      ["waits", 1_000, null],
      ["end", 1_000, null],
      ["waits still", 2_000, "lost"],
      ["dropped", 1_000, "lease-expired"],
      ["ends", undefined, null],
      ["waits", undefined, null],
    ];
    expect(await found()).toEqual(expected);
    t.open({ gateway: "next" });
    t.clock.advance(2_000);
    await expect.poll(() => t.logs().some((name) => name.startsWith(`${NO_PID}-`))).toBe(false);
    expect(await found()).toEqual(expected);
    expect(t.problems).toEqual([]);
  });

  it("is read in slices by a gateway, which has other things to do meanwhile", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    for (let index = 0; index < 500; index++) playRequest(sampleRecord(`r${index}`, NOW_MS + index));
    leaveCopy(t);
    let turns = 0;
    let isRead = false;
    const count = () => {
      turns++;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    const logs = await readLogsInSlices(t.folder, { nowMs: NOW_MS });
    isRead = true;
    expect(turns).toBeGreaterThanOrEqual(8);
    expect(logs).toEqual(readLogs(t.folder, { nowMs: NOW_MS }));
    expect(logs.map(({ items }) => items.length)).toEqual([500, 500]);
  });

  it("is deleted when it is empty and old, and left alone when it is of another version", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    mkdirSync(t.logsFolder, { recursive: true });
    const [empty, fresh, foreign] = ["1-a.log", "2-b.log", "3-c.log"].map((name) => join(t.logsFolder, name));
    for (const path of [empty, fresh, foreign]) writeFileSync(path ?? "", path === foreign ? "h\t[2]\n" : "");
    for (const path of [empty, foreign]) utimesSync(path ?? "", 1_000, 1_000);
    utimesSync(fresh ?? "", NOW_MS / 1_000, NOW_MS / 1_000);
    t.open();
    t.clock.advance(2_000);
    await expect.poll(() => t.logs()).toEqual(["2-b.log", "3-c.log"]);
  });
});

describe("a disk that cannot be written", () => {
  it("harms no request: what happened is in memory, and on disk as soon as that is possible", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    writeFileSync(t.folder, "in the way");
    const { reader } = t.open();
    for (let index = 0; index < 20; index++) playRequest(sampleRecord(`r${index}`, NOW_MS + index));
    const open = sampleRecord("open", NOW_MS + 50);
    publish("curlew:request:received", open);
    t.clock.advance(1_000);
    await expect.poll(() => t.problems.length).toBe(2); // the log and the tables, each told once
    expect(reader.entries({ limit: 99 })).toHaveLength(20);
    rmSync(t.folder);
    playRequest(sampleRecord("later", NOW_MS + 60));
    expect(t.lines()).toHaveLength(23);
    t.clock.advance(60_000);
    publish("curlew:request:finished", open);
    await t.moved();
    expect((await t.read()).entries({ limit: 99 })).toHaveLength(22);
    expect(t.problems).toHaveLength(2);
  });

  it("is told of once, and the newest requests are held", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    writeFileSync(t.folder, "in the way");
    const { reader } = t.open();
    for (let index = 0; index < 4_100; index++) playRequest(sampleRecord(`r${index}`, NOW_MS + index));
    expect(reader.entries({ limit: 9_999 })).toHaveLength(4_000);
    expect([reader.entry("r150"), reader.entry("r4099")?.id]).toEqual([undefined, "r4099"]);
    expect(t.problems).toHaveLength(2);
    rmSync(t.folder);
  });

  it("may leave half a line, after which lines are read again", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    const record = sampleRecord("open", NOW_MS);
    publish("curlew:request:received", record);
    playRequest(sampleRecord("one", NOW_MS + 1));
    appendFileSync(join(t.logsFolder, t.logs()[0] ?? ""), 'e\t["half",17\n');
    playRequest(sampleRecord("two", NOW_MS + 2));
    expect(outcomes(await t.read())).toEqual(["two ok", "one ok"]);
  });
});

describe("several processes", () => {
  const children = new LedgerChildren();
  beforeAll(() => children.build());
  afterAll(() => children.close());

  it("write to one ledger at once", async () => {
    const home = join(children.base, "shared");
    const writers = ["a", "b", "c"].map((name) => children.start("playSome", home, name, "500"));
    const said = await Promise.all(writers.map(saidBy));
    expect(said).toEqual(["[]\n", "[]\n", "[]\n"]);
    const reader = await openLedgerReader(join(home, "ledger"));
    expect(reader.entries({ limit: 9_999 })).toHaveLength(1_500);
    const sums = reader.rollUps("day", 0, Date.now() + 1).map(({ client, requests }) => `${client} ${requests}`);
    expect(sums.sort()).toEqual(["a 500", "b 500", "c 500"]);
    await reader.close();
  });

  it("have every request once after they were killed", async () => {
    const home = join(children.base, "killed");
    const said = new SaidRequests();
    for (let kill = 1; kill <= 6; kill++) {
      said.add(await children.playUntilKilled(home, `p${kill}`, 1 + kill * 97));
      const reader = await openLedgerReader(join(home, "ledger"));
      expect(said.faultsIn(reader, kill)).toEqual([]);
      await reader.close();
    }
  });

  it.skipIf(process.platform === "win32")("go on when the disk is full, with what they hold", async () => {
    const home = join(children.base, "full");
    const said = JSON.parse(await saidBy(children.startLimited(600, "playOnFullDisk", home)));
    expect(said).toMatchObject({ held: 3_000 });
    // Each file has the limit, so a new log can be written for a while.
    expect(new Set(said.problems)).toEqual(
      new Set(["Error: EFBIG: file too large, write", "Error: The ledger could not be written to disk."]),
    );
    expect(said.problems.length).toBeLessThan(20);
    const reader = await openLedgerReader(join(home, "ledger"));
    const entries = reader.entries({ limit: 9_999 });
    expect(entries.length).toBeGreaterThan(100);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    // The end of a request may have found no place in the log.
    expect(new Set(entries.map(({ outcome }) => outcome)).size).toBeLessThanOrEqual(2);
    const requests = reader.rollUps("day", 0, Date.now() + 1).map((rollUp) => rollUp.requests);
    expect(requests.reduce((sum, each) => sum + each)).toBe(entries.length);
    await reader.close();
  });
});
