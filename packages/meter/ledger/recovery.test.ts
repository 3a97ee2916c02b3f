import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publish } from "@curlew/gateway/turn/events/channels.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { turnsDuring } from "../../../testing/event-loop.js";
import { LedgerChildren, SaidRequests, saidBy } from "../../../testing/ledger/ledger-children.js";
import { entryIn, LedgerUnderTest } from "../../../testing/ledger/ledger-under-test.js";
import { abandonRun, pauseRequest, playRequest, sampleRecord } from "../../../testing/ledger/sample-requests.js";
import { openLedgerReader } from "./index.js";

const NOW_MS = new Date(2026, 10, 16, 10, 40).getTime();
const MINUTE_MS = 60_000;
/** Not a valid process id. */
const NO_PID = 2 ** 30;

/** Makes the file of this process look like a dead process's, so that this one starts a new file. */
function leaveDead(t: LedgerUnderTest, rest = ""): void {
  for (const name of t.files().filter((each) => each.includes(`.${process.pid}-`))) {
    const path = join(t.folder, name);
    const text = readFileSync(path, "utf8").replace(`"pid":${process.pid},`, `"pid":${NO_PID},`);
    writeFileSync(path.replace(`.${process.pid}-`, `.${NO_PID}-`), text + rest);
    rmSync(path);
  }
}

const outcomes = (reader: { entries(filter: { limit: number }): { id: string; outcome: string }[] }) =>
  reader.entries({ limit: 99 }).map(({ id, outcome }) => `${id} ${outcome}`);

describe("the log of a dead process", () => {
  it("shows open requests as interrupted, to every reader", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    playRequest(sampleRecord("done", NOW_MS));
    publish("curlew:request:received", sampleRecord("cut", NOW_MS + 1));
    leaveDead(t, '{"t":"ended","key":"this line was not written to its e');
    const expected = ["cut interrupted", "done ok"];
    const next = t.open({ gateway: "next" });
    t.clock.advance(2_000);
    for (const reader of [next.reader, t.read()]) {
      expect(outcomes(reader)).toEqual(expected);
      expect(entryIn(reader, "cut")).toMatchObject({ client: "tester", model: "auto", tokens: null, totalMs: null });
      expect(reader.rollUps("day", 0, NOW_MS)).toMatchObject([
        { model: "Auto", requests: 1, failures: 0, tokens: { input: 1_000 } },
        { model: "auto", requests: 1, failures: 1, tokens: { input: 0 } },
      ]);
    }
    expect(t.problems).toEqual([]);
  });

  it("counts the open run and its planned input", () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    const record = sampleRecord("cut", NOW_MS, {
      plannedTokens: 13_500,
      plannedCachedTokens: 12_000,
      turnUsage: undefined,
    });
    publish("curlew:request:received", record);
    publish("curlew:request:opened", record);
    leaveDead(t);
    const reader = t.read();
    expect(entryIn(reader, "cut")).toMatchObject({
      outcome: "interrupted",
      model: "Auto",
      thread: "t1",
      runs: 1,
      tokens: { input: 13_500, cacheRead: 12_000, estimated: true },
    });
    expect(reader.rollUps("day", 0, NOW_MS)).toMatchObject([{ runs: 1, turns: 1, tokens: { input: 13_500 } }]);
    expect(reader.thread("t1")).toMatchObject({ requests: 1, unadmitted: 0, tokens: { input: 13_500 } });
    expect(reader.conduct(0, NOW_MS)).toMatchObject([{ requests: 1, runs: 1 }]);
  });

  it("may be deleted while its process is alive, which starts another with all open requests", () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    const record = sampleRecord("long", NOW_MS, { clientCalls: 1 });
    publish("curlew:request:received", record);
    rmSync(t.folder, { recursive: true });
    t.clock.advance(2 * MINUTE_MS);
    playRequest(sampleRecord("next", NOW_MS + 1));
    expect(t.lines().filter((line) => line.includes('"t":"received"'))).toHaveLength(2);
    publish("curlew:request:finished", record);
    for (const each of [reader, t.read()]) {
      expect(outcomes(each)).toEqual(["next ok", "long ok"]);
      expect(each.rollUps("hour", 0, NOW_MS)).toMatchObject([{ requests: 2, failures: 0, tokens: { input: 2_000 } }]);
      expect(each.conduct(0, NOW_MS)).toMatchObject([{ requests: 2, runs: 2 }]);
    }
  });

  it("has the estimate of a run abandoned while its request was open", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    const record = sampleRecord("cut", NOW_MS, { turnUsage: undefined });
    publish("curlew:request:received", record);
    abandonRun(record);
    const ended = sampleRecord("ended", NOW_MS, { turnUsage: undefined, outcome: "client-left" });
    publish("curlew:request:received", ended);
    abandonRun(ended);
    publish("curlew:request:failed", ended);
    leaveDead(t);
    const taken = { abandoned: "lease-expired", tokens: { input: 1_000, estimated: true } };
    expect(entryIn(t.read(), "cut")).toMatchObject({ ...taken, outcome: "interrupted" });
    expect(entryIn(t.read(), "ended")).toMatchObject({ ...taken, outcome: "client-left" });
    expect(t.read().conduct(0, NOW_MS)).toMatchObject([{ requests: 2, abandoned: { "lease-expired": 2 } }]);
  });

  it("has the estimate of a turn whose run waited, over all rounds", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    const pause = (id: string, turnId: string, round: number) =>
      pauseRequest(sampleRecord(id, NOW_MS + round, { turnUsage: undefined, turnId, round, clientCalls: 1 }));
    for (const id of ["waits", "ends"]) pause(id, id, 0);
    const dropped = pause("dropped", "dropped", 0);
    pause("waits still", "waits", 1);
    playRequest(sampleRecord("end", NOW_MS + 2, { turnId: "ends", round: 1 }));
    // Another request with the id of a turn is not its next round.
    playRequest(sampleRecord("waits", NOW_MS + 3));
    abandonRun(dropped);
    const reader = t.read();
    const found = () => reader.entries({ limit: 9 }).map(({ id, tokens, abandoned }) => [id, tokens?.input, abandoned]);
    const input = () => reader.rollUps("day", 0, NOW_MS).reduce((sum, { tokens }) => sum + tokens.input, 0);
    expect(input()).toBe(5_000);
    expect(found()).toContainEqual(["waits still", 2_000, null]);
    leaveDead(t);
    const expected = [
      ["waits", 1_000, null],
      ["end", 1_000, null],
      ["waits still", 2_000, "lost"],
      ["dropped", 1_000, "lease-expired"],
      ["ends", undefined, null],
      ["waits", undefined, null],
    ];
    expect(found()).toEqual(expected);
    expect(input()).toBe(5_000);
    expect(t.problems).toEqual([]);
  });

  it("is read in slices, without blocking the event loop", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    for (let index = 0; index < 2_000; index++) playRequest(sampleRecord(`r${index}`, NOW_MS + index));
    leaveDead(t);
    const reader = t.read();
    expect(await turnsDuring(() => reader.ready())).toBeGreaterThanOrEqual(8);
    expect(reader.rollUps("day", 0, NOW_MS)).toMatchObject([{ requests: 2_000 }]);
  });
});

describe("a file that cannot be read", () => {
  it("is left out and reported once, and the rest counts", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    playRequest(sampleRecord("one", NOW_MS));
    const day = t.files()[0]?.slice(0, 10);
    mkdirSync(join(t.folder, `${day}.1-folder.jsonl`));
    writeFileSync(join(t.folder, `${day}.2-garbage.jsonl`), "\u0000\u0001 no line of ours\n{}\n[1]\n");
    const other = t.read();
    for (let again = 0; again < 3; again++) {
      for (const each of [reader, other]) {
        await each.ready();
        expect(outcomes(each)).toEqual(["one ok"]);
        expect(each.rollUps("day", 0, NOW_MS)).toMatchObject([{ requests: 1 }]);
        expect(each.thread("t1")).toMatchObject({ requests: 1 });
      }
    }
    expect(t.problems.map(String).sort()).toEqual(
      ["1-folder", "1-folder", "2-garbage", "2-garbage"].map((name) =>
        expect.stringContaining(`${day}.${name}.jsonl of`),
      ),
    );
  });
});

describe("a disk that cannot be written", () => {
  it("does not affect requests: lines are held in memory until they can be written", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    writeFileSync(t.folder, "in the way");
    const { reader } = t.open();
    for (let index = 0; index < 20; index++) playRequest(sampleRecord(`r${index}`, NOW_MS + index));
    const open = sampleRecord("open", NOW_MS + 50);
    publish("curlew:request:received", open);
    t.clock.advance(1_000);
    expect(t.problems).toHaveLength(1); // reported once
    expect(reader.entries({ limit: 99 })).toHaveLength(20);
    rmSync(t.folder);
    playRequest(sampleRecord("later", NOW_MS + 60));
    expect(t.lines()).toHaveLength(64);
    publish("curlew:request:finished", open);
    expect(t.read().entries({ limit: 99 })).toHaveLength(22);
    expect(t.problems).toHaveLength(1);
  });

  it("may leave a torn line, after which reading resumes", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    t.open();
    const record = sampleRecord("open", NOW_MS);
    publish("curlew:request:received", record);
    playRequest(sampleRecord("one", NOW_MS + 1));
    appendFileSync(join(t.folder, t.files()[0] ?? ""), '{"t":"ended","key":"00\n');
    playRequest(sampleRecord("two", NOW_MS + 2));
    expect(outcomes(t.read())).toEqual(["two ok", "one ok"]);
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
    expect(said.map((text) => JSON.parse(text))).toEqual(Array(3).fill({ held: 500, problems: [] }));
    const reader = openLedgerReader(join(home, "ledger"));
    expect(reader.entries({ limit: 9_999 })).toHaveLength(1_500);
    const sums = reader.rollUps("day", 0, Date.now() + 1).map(({ client, requests }) => `${client} ${requests}`);
    expect(sums.sort()).toEqual(["a 500", "b 500", "c 500"]);
  });

  it("have every request exactly once after they were killed", async () => {
    const home = join(children.base, "killed");
    const said = new SaidRequests();
    for (let kill = 1; kill <= 6; kill++) {
      said.add(await children.playUntilKilled(home, `p${kill}`, 1 + kill * 97));
      const reader = openLedgerReader(join(home, "ledger"));
      expect(said.faultsIn(reader, kill)).toEqual([]);
    }
  });

  it.skipIf(process.platform === "win32")("keep running when the disk is full, with lines held in memory", async () => {
    const home = join(children.base, "full");
    const said = JSON.parse(await saidBy(children.startLimited(600, "playSome", home, "full", "3000")));
    expect(said).toMatchObject({ held: 3_000 });
    expect(said.problems).toEqual(["Error: EFBIG: file too large, write"]);
    const reader = openLedgerReader(join(home, "ledger"));
    const entries = reader.entries({ limit: 9_999 });
    expect(entries.length).toBeGreaterThan(100);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    // The last `ended` line may not have fitted on the disk.
    expect(new Set(entries.map(({ outcome }) => outcome)).size).toBeLessThanOrEqual(2);
    const requests = reader.rollUps("day", 0, Date.now() + 1).map((rollUp) => rollUp.requests);
    expect(requests.reduce((sum, each) => sum + each)).toBe(entries.length);
  });
});
