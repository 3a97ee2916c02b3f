import { fork } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../testing/manual-clock.js";
import { cacheShare, noUsage } from "./usage-counts.js";
import { UsageDays } from "./usage-days.js";
import { UsageLedger } from "./usage-ledger.js";

const DAY_MS = 24 * 60 * 60_000;
const usage = {
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 60,
  cacheWriteTokens: 40,
  reasoningTokens: 5,
  estimated: false,
};

function setUp() {
  const parent = mkdtempSync(join(tmpdir(), "curlew-ledger-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, "usage");
  const clock = new ManualClock();
  const problems: unknown[] = [];
  const open = () => new UsageLedger({ folder, clock, onProblem: (problem) => problems.push(problem) });
  const read = (days = 7) => new UsageDays(folder).read(clock.now(), days);
  const textOfToday = () => readFileSync(join(folder, readdirSync(folder).sort().at(-1) ?? ""), "utf8");
  return { folder, clock, problems, open, read, textOfToday };
}

describe("the usage ledger", () => {
  it("writes nothing at once and everything a second later, in one line for each model", () => {
    const { clock, open, read, textOfToday } = setUp();
    const ledger = open();
    for (let turn = 0; turn < 50; turn++) {
      ledger.reply("auto", { isWarm: turn > 0 });
      ledger.turn("auto", usage);
    }
    ledger.turn("composer", { ...usage, inputTokens: 7, estimated: true });
    expect(read()).toEqual([]);
    clock.advance(1_000);
    expect(read()).toMatchObject([
      {
        model: "auto",
        counts: { turns: 50, inputTokens: 5_000, cacheReadTokens: 3_000, warmReplies: 49, coldReplies: 1 },
      },
      { model: "composer", counts: { turns: 1, estimatedTurns: 1, inputTokens: 7, warmReplies: 0 } },
    ]);
    expect(textOfToday().trim().split("\n")).toHaveLength(2);
  });

  it("writes the rest when it is closed", () => {
    const { open, read } = setUp();
    const ledger = open();
    ledger.turn("auto", usage);
    ledger.close();
    expect(read()).toMatchObject([
      { counts: { turns: 1, outputTokens: 20, reasoningTokens: 5, cacheWriteTokens: 40 } },
    ]);
  });

  it("goes on after a crash in the middle of a line, losing that line alone", () => {
    const { folder, clock, open, read } = setUp();
    const first = open();
    first.turn("auto", usage);
    first.close();
    appendFileSync(join(folder, readdirSync(folder)[0] ?? ""), '{"model":"auto","tur');
    const second = open();
    second.turn("auto", usage);
    clock.advance(1_000);
    expect(read()).toMatchObject([{ model: "auto", counts: { turns: 2 } }]);
  });

  it("keeps what cannot be written, tells why, and writes it with what comes next", () => {
    const { folder, clock, problems, open, read } = setUp();
    writeFileSync(folder, "in the way");
    const ledger = open();
    ledger.turn("auto", usage);
    clock.advance(1_000);
    expect(problems.length).toBeGreaterThan(0);
    rmSync(folder);
    ledger.turn("auto", usage);
    clock.advance(1_000);
    expect(read()).toMatchObject([{ counts: { turns: 2 } }]);
  });

  it("can be read by its owner alone", () => {
    const { folder, clock, open } = setUp();
    open().turn("auto", usage);
    clock.advance(1_000);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, readdirSync(folder)[0] ?? "")).mode & 0o777).toBe(0o600);
  });

  it("adds up what several processes write at once", async () => {
    const { folder } = setUp();
    const clockMs = Date.now();
    const writer = join(folder, "..", "writer.mjs");
    writeFileSync(
      writer,
      `import { appendFileSync, mkdirSync } from "node:fs";
       mkdirSync(${JSON.stringify(folder)}, { recursive: true });
       for (let n = 0; n < 500; n++) appendFileSync(process.argv[2], '\\n{"model":"auto","turns":1,"inputTokens":3}\\n');`,
    );
    const days = new UsageDays(folder);
    days.append(clockMs, new Map([["auto", { ...noUsage, turns: 1 }]]));
    const file = join(folder, readdirSync(folder)[0] ?? "");
    await Promise.all([1, 2, 3].map(() => once(fork(writer, [file]), "exit")));
    expect(days.read(clockMs, 2)).toMatchObject([{ counts: { turns: 1_501, inputTokens: 4_500 } }]);
  });
});

describe("days that have passed", () => {
  it("are summed up once nobody writes to them, and dropped after 400", () => {
    const { folder, clock, open, read } = setUp();
    const days = new UsageDays(folder);
    const turns = (count: number) => new Map([["auto", { ...noUsage, turns: count }]]);
    for (const age of [0, 1, 10, 10, 10, 399, 401]) days.append(clock.now() - age * DAY_MS, turns(1));
    open();
    expect(readdirSync(folder)).toHaveLength(4);
    expect(read(500).map(({ counts }) => counts.turns)).toEqual([1, 1, 3, 1]);
    const lines = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8").trim().split("\n").length);
    expect(lines).toEqual([1, 1, 1, 1]);
  });

  it("are distinguished from days that were asked for", () => {
    const { folder, clock, read } = setUp();
    const days = new UsageDays(folder);
    for (const age of [0, 6, 7]) {
      days.append(clock.now() - age * DAY_MS, new Map([[`model-${age}`, { ...noUsage, turns: 1 }]]));
    }
    expect(read(7).map(({ model }) => model)).toEqual(["model-0", "model-6"]);
    expect(read(1).map(({ model }) => model)).toEqual(["model-0"]);
  });

  it("are none where there is no folder", () => {
    expect(setUp().read()).toEqual([]);
  });

  it("are a problem, not an end, where they cannot be read", () => {
    const { folder, problems, open } = setUp();
    mkdirSync(folder);
    mkdirSync(join(folder, "2020-01-01.jsonl"));
    open();
    expect(problems).toHaveLength(1);
    chmodSync(folder, 0o700);
  });
});

describe("the share of the cache", () => {
  it("is unknown while nothing was read", () => {
    expect(cacheShare(noUsage)).toBeUndefined();
    expect(cacheShare({ ...noUsage, inputTokens: 200, cacheReadTokens: 150 })).toBe(0.75);
  });
});
