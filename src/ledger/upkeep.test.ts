import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { turnsDuring } from "../../testing/event-loop.js";
import { LedgerUnderTest } from "../../testing/ledger/ledger-under-test.js";
import { playRequest, sampleRecord } from "../../testing/ledger/sample-requests.js";
import { publish } from "../events/index.js";
import { dropOld } from "./drop.js";
import { FORMER_CLIENT, takeOverFormerDays } from "./former-days.js";
import { forgetRequests } from "./index.js";
import { openLedgerTables } from "./lmdb-tables.js";
import { midnight } from "./spans.js";
import { update } from "./view.js";

const NOW_MS = new Date(2026, 10, 16, 10, 40).getTime();
const DAY_MS = 86_400_000;

const daysAgo = (days: number) => NOW_MS - days * DAY_MS;

describe("entries and sums that are too old", () => {
  it("are dropped day by day, and what is left adds up", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open({ keptDays: 10 });
    for (const age of [0, 9, 10, 11, 200]) {
      for (let index = 0; index < 60; index++) playRequest(sampleRecord(`${age}.${index}`, daysAgo(age) + index));
    }
    await t.moved();
    expect(reader.entries({ limit: 999 })).toHaveLength(300);
    t.clock.advance(600_000);
    await expect.poll(() => reader.entries({ limit: 999 })).toHaveLength(180);
    await expect.poll(() => reader.rollUps("day", 0, NOW_MS + DAY_MS)).toHaveLength(3);
    expect(reader.rollUps("hour", 0, NOW_MS + DAY_MS)).toHaveLength(3);
    expect(reader.thread("t1")).toMatchObject({ requests: 180, tokens: { input: 180_000 } });
    await expect.poll(() => reader.conduct(0, NOW_MS)).toHaveLength(3);
    expect([reader.entry("11.5"), reader.detail("11.5")]).toEqual([undefined, undefined]);
    expect([reader.entry("10.5")?.id, reader.detail("10.5")?.id]).toEqual(["10.5", "10.5"]);
  });

  it("are dropped in slices", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { tables } = await openLedgerTables(t.folder, NOW_MS);
    const ledger = t.open();
    for (let index = 0; index < 2_000; index++) playRequest(sampleRecord(`${index}`, daysAgo(50) + index));
    await ledger.close();
    const turns = await turnsDuring(() => dropOld(tables, NOW_MS, 10, new AbortController().signal));
    expect(turns).toBeGreaterThanOrEqual(20);
    tables.refresh();
    for (const name of ["entries", "ids", "hours", "days", "threads", "conduct", "details"] as const) {
      expect([name, [...tables.keys(name, {})]]).toEqual([name, []]);
    }
    await tables.close();
  });
});

describe("the files of earlier versions", () => {
  const day = (ms: number) => {
    const date = new Date(ms);
    return `${date.getFullYear()}-${`${date.getMonth() + 1}`.padStart(2, "0")}-${`${date.getDate()}`.padStart(2, "0")}`;
  };
  const line = (turns: number, model = "auto") =>
    `\n${JSON.stringify({ model, turns, inputTokens: 10 * turns, warmReplies: turns, coldReplies: 1 })}\n`;

  function fill(t: LedgerUnderTest): void {
    mkdirSync(t.formerFolder);
    for (const age of [0, 1, 95, 399]) {
      writeFileSync(join(t.formerFolder, `${day(daysAgo(age))}.jsonl`), `${line(1)}${line(2)}{"model":"au`);
    }
  }
  const check = (rollUps: readonly object[]) =>
    expect(rollUps).toMatchObject(
      [399, 95, 1, 0].map((age) => ({
        startMs: midnight(daysAgo(age), 0),
        client: FORMER_CLIENT,
        model: "auto",
        turns: 3,
        requests: 5,
        warm: 3,
        cold: 2,
        tokens: { input: 30 },
      })),
    );

  it("are read where they are, and taken over by the next gateway, none too old and none twice", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    fill(t);
    check((await t.read()).rollUps("day", 0, NOW_MS));
    const { reader } = t.open();
    check(reader.rollUps("day", 0, NOW_MS));
    t.clock.advance(2_000);
    await expect.poll(() => existsSync(t.formerFolder)).toBe(false);
    check(reader.rollUps("day", 0, NOW_MS));
    check((await t.read()).rollUps("day", 0, NOW_MS));
    t.clock.advance(600_000);
    // An earlier version that still runs.
    mkdirSync(t.formerFolder);
    writeFileSync(join(t.formerFolder, `${day(NOW_MS)}.jsonl`), line(4));
    t.clock.advance(600_000);
    await expect.poll(() => existsSync(t.formerFolder)).toBe(false);
    expect(reader.rollUps("day", midnight(NOW_MS, 0), NOW_MS)).toMatchObject([{ turns: 7 }]);
    t.clock.advance(2 * DAY_MS);
    await expect.poll(() => reader.rollUps("day", 0, NOW_MS)).toHaveLength(3);
    expect(t.problems).toEqual([]);
  });

  it("are taken over once by several processes, and after a crash at any point", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    fill(t);
    const { tables } = await openLedgerTables(t.folder, NOW_MS);
    // A crash before anything was booked.
    const name = `${day(daysAgo(1))}.jsonl`;
    const claimed = name.replace("jsonl", "abcdef.moving");
    renameSync(join(t.formerFolder, name), join(t.formerFolder, claimed));
    const text = readFileSync(join(t.formerFolder, claimed));
    await Promise.all([1, 2, 3].map(() => takeOverFormerDays(t.formerFolder, tables)));
    // A crash before the file was deleted.
    mkdirSync(t.formerFolder);
    writeFileSync(join(t.formerFolder, claimed), text);
    check((await t.read()).rollUps("day", 0, NOW_MS));
    await takeOverFormerDays(t.formerFolder, tables);
    expect(existsSync(t.formerFolder)).toBe(false);
    await tables.close();
    check((await t.read()).rollUps("day", 0, NOW_MS));
  });
});

describe("what the owner wants forgotten", () => {
  const clients = (reader: {
    rollUps(span: "day", from: number, to: number): { client: string; requests: number }[];
  }) => reader.rollUps("day", 0, NOW_MS + DAY_MS).map(({ client, requests }) => `${client} ${requests}`);

  it("is gone before a day, for one client, or altogether", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const ledger = t.open();
    for (const age of [0, 1, 2]) {
      for (const client of ["ann", "bob"]) playRequest(sampleRecord(`${client}.${age}`, daysAgo(age), { client }));
    }
    await ledger.close();
    const ids = () => t.readOnce((reader) => reader.entries({ limit: 99 }).map(({ id }) => id));
    const options = { folder: t.folder, formerFolder: t.formerFolder, now: () => NOW_MS + 1_000 };
    expect(await forgetRequests(options, { before: "2026-11-15", client: "ann" })).toBe(1);
    expect(await ids()).toEqual(["bob.0", "ann.0", "bob.1", "ann.1", "bob.2"]);
    expect(await forgetRequests(options, { before: "2026-11-15" })).toBe(1);
    expect(await t.readOnce(clients)).toEqual(["ann 1", "bob 1", "ann 1", "bob 1"]);
    expect(await t.readOnce((reader) => reader.thread("t1"))).toMatchObject({ requests: 4 });
    expect(await t.readOnce((reader) => reader.conduct(0, NOW_MS))).toHaveLength(2);
    expect(await forgetRequests(options, { client: "bob" })).toBe(2);
    expect(await ids()).toEqual(["ann.0", "ann.1"]);
    expect(await t.readOnce(clients)).toEqual(["ann 1", "ann 1"]);
    expect(await t.readOnce((reader) => [reader.detail("bob.0"), reader.detail("ann.0")?.id])).toEqual([
      undefined,
      "ann.0",
    ]);
    await expect(forgetRequests(options, { before: "2026-02-30" })).rejects.toThrow("There is no day 2026-02-30.");
    expect(await forgetRequests(options, { before: "2027-01-01" })).toBe(2);
    const { tables } = await openLedgerTables(t.folder, NOW_MS);
    for (const name of ["entries", "ids", "hours", "days", "threads", "details"] as const) {
      expect([name, [...tables.keys(name, {})]]).toEqual([name, []]);
    }
    await tables.close();
  });

  it("is not brought back by a gateway that runs, nor by what it leaves when it is killed", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    const play = (id: string, client: string, atMs = NOW_MS) => playRequest(sampleRecord(id, atMs, { client }));
    const open = ["ann", "bob"].map((client, at) => sampleRecord(`open.${client}`, NOW_MS + at, { client }));
    for (const record of open) publish("curlew:request:received", record);
    play("moved.ann", "ann");
    t.clock.advance(1_000);
    await expect.poll(() => existsSync(join(t.folder, "data.mdb"))).toBe(true);
    play("waiting.ann", "ann");
    play("waiting.bob", "bob");
    expect(t.lines()).toHaveLength(8);
    const options = { folder: t.folder, formerFolder: t.formerFolder, now: () => NOW_MS + 1_000 };
    await forgetRequests(options, { client: "ann" });
    const ids = (each: typeof reader) => each.entries({ limit: 99 }).map(({ id }) => id);
    const log = readFileSync(join(t.logsFolder, t.logs()[0] ?? ""), "utf8");
    await expect.poll(() => ids(reader)).toEqual(["waiting.bob"]);
    expect(ids(await t.read())).toEqual(["waiting.bob"]);
    play("new.ann", "ann", NOW_MS + 2_000);
    t.clock.advance(1_000);
    await expect.poll(() => t.lines().filter((line) => line.includes("ann") && !line.includes("new.ann"))).toEqual([]);
    for (const record of open) publish("curlew:request:finished", record);
    await t.moved();
    const left = ["new.ann", "open.bob", "waiting.bob"];
    expect(ids(reader)).toEqual(left);
    // The log as it was, of a process that is dead.
    writeFileSync(join(t.logsFolder, "1-dead.log"), log.replace(`[1,${process.pid},`, `[1,${2 ** 30},`));
    expect(ids(await t.read())).toEqual(left);
    t.clock.advance(600_000);
    await expect.poll(() => readdirSync(t.logsFolder)).not.toContain("1-dead.log");
    expect(ids(await t.read())).toEqual(left);
    expect(clients(reader)).toEqual(["ann 1", "bob 2"]);
  });
});

it("books nothing twice when transactions meet", async () => {
  const t = new LedgerUnderTest(NOW_MS);
  const { tables } = await openLedgerTables(t.folder, NOW_MS);
  const add = () =>
    update(tables, (view) => view.put("meta", "count", String(Number(view.get("meta", "count") ?? 0) + 1)));
  await Promise.all(Array.from({ length: 30 }, add));
  tables.refresh();
  expect(tables.get("meta", "count")).toBe("30");
  await tables.close();
});
