import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publish } from "@curlew/gateway/turn/events/channels.js";
import { describe, expect, it } from "vitest";
import { turnsDuring } from "../../../testing/event-loop.js";
import { detailIn, entryIn, LedgerUnderTest } from "../../../testing/ledger/ledger-under-test.js";
import { playRequest, sampleRecord, sampleUsage } from "../../../testing/ledger/sample-requests.js";
import { forgetRequests, midnight } from "./index.js";

const NOW_MS = new Date(2026, 10, 16, 10, 40).getTime();
const DAY_MS = 86_400_000;

const daysAgo = (days: number) => NOW_MS - days * DAY_MS;

describe("expired entries and sums", () => {
  it("are dropped day by day, and the rest adds up", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open({ keptDays: 10 });
    for (const age of [0, 9, 10, 11, 200]) {
      for (let index = 0; index < 60; index++) playRequest(sampleRecord(`${age}.${index}`, daysAgo(age) + index));
    }
    expect(reader.entries({ limit: 999 })).toHaveLength(300);
    t.clock.advance(600_000);
    await expect.poll(() => reader.entries({ limit: 999 })).toHaveLength(180);
    await expect.poll(() => reader.rollUps("day", 0, NOW_MS + DAY_MS)).toHaveLength(3);
    expect(reader.rollUps("hour", 0, NOW_MS + DAY_MS)).toHaveLength(3);
    expect(reader.thread("t1")).toMatchObject({ requests: 180, tokens: { input: 180_000 } });
    await expect.poll(() => reader.conduct(0, NOW_MS)).toHaveLength(3);
    expect([entryIn(reader, "11.5"), detailIn(reader, "11.5")]).toEqual([undefined, undefined]);
    expect([entryIn(reader, "10.5")?.id, detailIn(reader, "10.5")?.id]).toEqual(["10.5", "10.5"]);
  });
});

it("removes unfinished files of a killed process, and no file of the owner's", async () => {
  const t = new LedgerUnderTest(NOW_MS);
  t.open();
  playRequest(sampleRecord("one", NOW_MS));
  const left = ["2026-11-14.sums.0123456789ab", "2026-11-14.1-ab.jsonl.making-0123abcd", "notes.20261114"];
  for (const path of left.map((name) => join(t.folder, name))) {
    writeFileSync(path, "");
    utimesSync(path, 0, 0);
  }
  t.clock.advance(600_000);
  await expect.poll(() => readdirSync(t.folder).filter((name) => !name.endsWith(".jsonl"))).toEqual(["notes.20261114"]);
});

describe("the stored sums of a past day", () => {
  it("equal those of its lines, and are computed in slices", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    for (const age of [0, 1, 2]) {
      for (let index = 0; index < 1_000; index++) {
        const turnUsage = { ...sampleUsage, inputTokens: 1_000 + ((index * 7) % 1_000) };
        const changes = { client: `c${index % 3}`, thread: `t${index % 5}`, turnUsage };
        playRequest(sampleRecord(`${age}.${index}`, daysAgo(age) + index, changes));
      }
    }
    const found = () => {
      const each = t.read();
      return [
        each.rollUps("day", 0, NOW_MS + DAY_MS),
        each.rollUps("hour", 0, NOW_MS + DAY_MS),
        each.thread("t3"),
        each.conduct(0, NOW_MS),
        each.dearest({}).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
        each.dearest({ client: "c2", toMs: midnight(NOW_MS, 0) }).map(({ tokens }) => tokens?.input),
      ];
    };
    const before = found();
    expect(before[4]).toHaveLength(300);
    expect(before[5]).toHaveLength(66);
    expect(Math.min(...reader.dearest({}).map(({ tokens }) => tokens?.input ?? 0))).toBe(1_900);
    expect(await turnsDuring(() => t.summedUp(2))).toBeGreaterThanOrEqual(2);
    expect(found()).toEqual(before);
    expect(reader.thread("t3")).toMatchObject({ requests: 600 });
    // A later line makes them stale until they are computed again.
    playRequest(sampleRecord("late", daysAgo(1) + 5_000, { thread: "t3" }));
    expect(t.read().thread("t3")).toMatchObject({ requests: 601 });
    expect(reader.thread("t3")).toMatchObject({ requests: 601 });
    expect(t.problems).toEqual([]);
  });
});

it("ignores a ledger of an earlier version, and reports it once", async () => {
  const t = new LedgerUnderTest(NOW_MS);
  t.open();
  playRequest(sampleRecord("one", NOW_MS));
  writeFileSync(join(t.folder, "data.mdb"), "old");
  t.clock.advance(1_800_000);
  await expect.poll(() => t.problems.length).toBe(1);
  expect(String(t.problems[0])).toContain("ignored");
  expect(readFileSync(join(t.folder, "data.mdb"), "utf8")).toBe("old");
});

describe("forgetting requests", () => {
  const clients = (reader: {
    rollUps(span: "day", from: number, to: number): { client: string; requests: number }[];
  }) => reader.rollUps("day", 0, NOW_MS + DAY_MS).map(({ client, requests }) => `${client} ${requests}`);

  it("removes those before a day, those of a client, or all", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const ledger = t.open();
    for (const age of [0, 1, 2]) {
      for (const client of ["ann", "bob"]) playRequest(sampleRecord(`${client}.${age}`, daysAgo(age), { client }));
    }
    await ledger.close();
    const ids = () =>
      t
        .read()
        .entries({ limit: 99 })
        .map(({ id }) => id);
    const options = { folder: t.folder, now: () => NOW_MS + 1_000 };
    expect(await forgetRequests(options, { before: "2026-11-15", client: "ann" })).toBe(1);
    expect(ids()).toEqual(["bob.0", "ann.0", "bob.1", "ann.1", "bob.2"]);
    expect(await forgetRequests(options, { before: "2026-11-15" })).toBe(1);
    expect(clients(t.read())).toEqual(["ann 1", "bob 1", "ann 1", "bob 1"]);
    expect(t.read().thread("t1")).toMatchObject({ requests: 4 });
    expect(t.read().conduct(0, NOW_MS)).toHaveLength(2);
    expect(await forgetRequests(options, { client: "bob" })).toBe(2);
    expect(ids()).toEqual(["ann.0", "ann.1"]);
    expect(clients(t.read())).toEqual(["ann 1", "ann 1"]);
    expect([detailIn(t.read(), "bob.0"), detailIn(t.read(), "ann.0")?.id]).toEqual([undefined, "ann.0"]);
    expect(t.lines().join("")).not.toContain("bob");
    await expect(forgetRequests(options, { before: "2026-02-30" })).rejects.toThrow("No such day: 2026-02-30.");
    expect(await forgetRequests(options, { before: "2027-01-01" })).toBe(2);
    expect(t.lines()).toEqual([]);
    expect(readdirSync(t.folder).filter((name) => name.startsWith("forget-"))).toHaveLength(1);
  });

  it("holds against a running gateway, and against files that a killed one leaves", async () => {
    const t = new LedgerUnderTest(NOW_MS);
    const { reader } = t.open();
    const play = (id: string, client: string, atMs = NOW_MS) => playRequest(sampleRecord(id, atMs, { client }));
    const open = ["ann", "bob"].map((client, at) => sampleRecord(`open.${client}`, NOW_MS + at, { client }));
    for (const record of open) publish("curlew:request:received", record);
    play("moved.ann", "ann");
    play("waiting.ann", "ann");
    play("waiting.bob", "bob");
    expect(t.lines()).toHaveLength(11);
    const options = { folder: t.folder, now: () => NOW_MS + 1_000 };
    await forgetRequests(options, { client: "ann" });
    const ids = (each: typeof reader) => each.entries({ limit: 99 }).map(({ id }) => id);
    const file = readFileSync(join(t.folder, t.files()[0] ?? ""), "utf8");
    expect(ids(reader)).toEqual(["waiting.bob"]);
    expect(ids(t.read())).toEqual(["waiting.bob"]);
    play("new.ann", "ann", NOW_MS + 2_000);
    t.clock.advance(600_000);
    await expect
      .poll(() => t.lines().filter((line) => line.includes('"client":"ann"') && !line.includes("new.ann")))
      .toEqual([]);
    for (const record of open) publish("curlew:request:finished", record);
    const left = ["new.ann", "open.bob", "waiting.bob"];
    expect(ids(reader)).toEqual(left);
    expect(ids(t.read())).toEqual(left);
    // A file left behind before the rule was applied to it.
    const name = t.files()[0]?.replace(`.${process.pid}-`, ".1-") ?? "";
    await forgetRequests(options, { client: "ann" });
    writeFileSync(join(t.folder, name), file.replace(`"pid":${process.pid},`, `"pid":${2 ** 30},`));
    expect(ids(t.read()).filter((id) => id.includes("ann") && id !== "new.ann")).toEqual([]);
    t.clock.advance(600_000);
    await expect.poll(() => readFileSync(join(t.folder, name), "utf8")).not.toContain("waiting.ann");
  });
});
