import { describe, expect, it } from "vitest";
import { MemoryReader } from "../../../../testing/ledger/memory-reader.js";
import { noonMs, sampleDetail, sampleEntry, sampleTokens } from "../../../../testing/ledger/sample-entries.js";
import { capturedMachine } from "../../../../testing/programs/captured-machine.js";
import { createColors, harmlessJson } from "../../terminal/print.js";
import { findRequest, requestLines, sinceMs } from "../logs.js";
import { describeRequest } from "./describe-request.js";
import { follow } from "./follow.js";
import { drawTimeline } from "./timeline.js";

const plain = createColors(false);
/** Clears a screen, sets a title, turns the text around, and the same for terminals that read 8 bits. */
const hostile = "evil\u001B[2J\u001B]0;owned\u0007\u009B31m\u202Egnp\r\nnext\u2028line";
const OBEYED = /[^\n\P{Cc}]|\p{Cf}|[\u2028\u2029]/u;

const lineOf = requestLines(capturedMachine());

describe("a line of the journal", () => {
  it("has the day, the time, the client, the model, the tokens, the durations and the continuity", () => {
    expect(lineOf(sampleEntry()).trimEnd().split(/ {2,}/)).toEqual([
      "11-16 12:00:00",
      "opencode",
      "composer-2.5",
      "12.3k in",
      "97% cached",
      "850 out",
      "8.4 s",
      "warm",
      "first 1.2 s",
      "3f2a9c01",
    ]);
  });

  it("shows the context of a reply before the turn is booked", () => {
    const line = lineOf(sampleEntry({ tokens: null, context: sampleTokens({ input: 24_000, estimated: true }) }));
    expect(line).toMatch(/ ~24\.0k in +50% cached +~850 out /);
  });

  it("has the code and the message of a failure", () => {
    const failed = sampleEntry({ outcome: "timeout", message: "Cursor was silent for 30 seconds." });
    expect(lineOf(failed)).toMatch(/ timeout .*\n {16}Cursor was silent for 30 seconds\.\n$/);
    expect(lineOf(sampleEntry({ outcome: "client-left" }))).toContain("  canceled by the client  ");
  });
});

describe("texts of others", () => {
  const entry = sampleEntry({
    client: hostile,
    model: hostile,
    outcome: "timeout",
    message: hostile,
    dialect: hostile,
  });
  const detail = sampleDetail({
    askedModel: hostile,
    warnings: [hostile],
    texts: { asked: hostile, answered: hostile },
  });

  it("reach a terminal only as text", () => {
    const request = { entry, detail };
    const why = [{ topic: "unknown", what: hostile, advice: hostile }];
    const shown = [
      lineOf(entry),
      describeRequest({ request, turn: [request], why }, { colors: plain, columns: 80 }),
    ].join("");
    expect(shown).toContain("evil");
    expect(shown).not.toMatch(OBEYED);
  });

  it("are complete in JSON, and harmless there too", () => {
    const json = harmlessJson({ entry, detail });
    expect(json).not.toMatch(OBEYED);
    expect(JSON.parse(json)).toEqual({ entry, detail });
  });
});

describe("a request by its id", () => {
  const other = sampleEntry({ id: "3f2a9c02-7f11-4a5e-9d5c-1f2e3d4c5b6a" });
  const reader = new MemoryReader([sampleEntry(), other]);

  it("is found by its full id or a unique prefix", async () => {
    expect(await findRequest(reader, other.id)).toBe(other);
    expect(await findRequest(reader, "3f2a9c02")).toBe(other);
  });

  it.each([
    ["3f2a", "The ids of 2 requests begin with"],
    ["none", "No request has an id that begins with"],
    ["3f2", "needs 4 characters"],
  ])("is not guessed: %s", async (given, words) => {
    await expect(findRequest(reader, given)).rejects.toThrow(words);
  });
});

describe("a timeline", () => {
  it("shows no wait for Cursor if a request was refused before it was planned", () => {
    const entry = sampleEntry({ firstByteMs: 3, totalMs: 3, outcome: "model_not_found" });
    const bar = (changes: Parameters<typeof sampleDetail>[0]) => {
      const detail = sampleDetail({ plannedMs: null, openedMs: null, ...changes });
      return drawTimeline([{ entry, detail }], 40, plain).split("\n")[2];
    };
    expect(bar({})).toMatch(/^3f2a9c01 {2}░+$/);
    expect(bar({ joined: "other" })).toMatch(/^3f2a9c01 {2}▒+$/);
  });

  it("is drawn to scale, with the client's tools between two requests", () => {
    const turn = [
      {
        entry: sampleEntry({ id: "one", firstByteMs: 2_000, totalMs: 4_000 }),
        detail: sampleDetail({ openedMs: 1_000 }),
      },
      {
        entry: sampleEntry({ id: "two", atMs: noonMs + 6_000, firstByteMs: 1_000, totalMs: 4_000 }),
        detail: sampleDetail({
          openedMs: 0,
          clientToolsMs: 2_000,
          pauses: [{ startedMs: 2_000, endedMs: 3_000, calls: 1 }],
        }),
      },
    ];
    expect(drawTimeline(turn, 48, plain).split("\n")).toEqual([
      "       0 ms         3.3 s         6.7 s     10 s",
      "       ├────────────┼─────────────┼────────────┤",
      "one    ░░░░▒▒▒▒████████",
      "tools                  ········",
      "two                            ▒▒▒▒████▓▓▓▓████",
      "       ░ Curlew   ▒ waiting for Cursor   █ reply   ▓ Curlew's tools   · the client's tools",
      "",
    ]);
  });

  it("shows spans too short for the scale, and survives a request without an end", () => {
    const turn = [
      { entry: sampleEntry({ id: "short", firstByteMs: 1, totalMs: 2 }), detail: sampleDetail({ openedMs: 1 }) },
      {
        entry: sampleEntry({ id: "open", atMs: noonMs + 60_000, firstByteMs: null, totalMs: null }),
        detail: undefined,
      },
      { entry: sampleEntry({ id: "long", atMs: noonMs + 60_000, totalMs: 60_000 }), detail: undefined },
    ];
    const [, , short, open, long] = drawTimeline(turn, 80, plain).split("\n");
    expect(short).toMatch(/^short +[░▒█]+$/);
    expect(open?.trim()).toBe("open");
    expect(long).toMatch(/█$/);
  });
});

describe("the description of a request", () => {
  it("has sizes, decisions, warnings and moments", () => {
    const entry = sampleEntry({ continuity: "cold:edited", sentAgainTokens: 4_000 });
    const detail = sampleDetail({
      askedModel: "gpt-4",
      warnings: ["temperature is ignored"],
      pauses: [{ startedMs: 2_000, endedMs: 3_500, calls: 2 }],
    });
    const request = { entry, detail };
    const why = [{ topic: "cold:edited", what: "It differs.", advice: "Leave it." }];
    const text = describeRequest({ request, turn: [request], why }, { colors: plain, columns: undefined });
    for (const row of [
      /^received +2026-11-16 12:00:00\.000, took 8\.4 s$/m,
      /^client +opencode, as opencode\/1\.4\.2$/m,
      /^model +composer-2\.5, asked for as gpt-4$/m,
      /^dialect +openai-chat, streamed$/m,
      /^context +12,345 tokens in, 12,000 cached, 850 out$/m,
      /^upstream +1 run, 0 retries, 2\.0 KiB out, 8\.8 KiB in$/m,
      /^sizes +request 3\.9 KiB, reply 2\.9 KiB$/m,
      /^continuity +cold: edited, about 4,000 tokens sent again$/m,
      /^outcome +ok \(status 200\)$/m,
      /^warning +temperature is ignored$/m,
      /^3f2a9c01 +received 12:00:00\.000, planned 2 ms, run opened 10 ms, first byte 1\.2 s, Curlew's tools 2\.0 s to 3\.5 s \(2 calls\), ended 8\.4 s$/m,
    ]) {
      expect(text).toMatch(row);
    }
    expect(text).not.toContain("█");
    expect(text).toMatch(/\n\nWhy\n\nIt differs\.\n→ Leave it\.\n$/);
  });
});

describe("following", () => {
  /** Runs one step of the test at each poll of the ledger. */
  async function followed(reader: MemoryReader, steps: readonly (() => void)[], filter = {}): Promise<string[]> {
    const leaving = new AbortController();
    const ended: string[] = [];
    const left = [...steps];
    await follow({
      reader,
      filter,
      told: [...reader.list],
      onEnded: ({ id }) => ended.push(id),
      wait: async () => {
        const step = left.shift();
        if (step === undefined) leaving.abort();
        else step();
      },
      signal: leaving.signal,
    });
    return ended;
  }

  it("reports each request once, in order of completion", async () => {
    const reader = new MemoryReader([sampleEntry({ id: "old" })]);
    const slow = sampleEntry({ id: "slow", totalMs: 5_000 });
    const ended = await followed(reader, [
      () => void reader.list.push(sampleEntry({ id: "quick", atMs: noonMs + 1, totalMs: 10 })),
      () => void reader.list.push(slow, sampleEntry({ id: "next", atMs: noonMs + 2, totalMs: 10 })),
      () => {},
    ]);
    expect(ended).toEqual(["quick", "next", "slow"]);
  });

  it("reports only requests that match the filter", async () => {
    const reader = new MemoryReader();
    const killed = sampleEntry({ id: "killed", outcome: "interrupted", totalMs: null });
    const steps = [() => void reader.list.push(sampleEntry({ id: "fine" }), killed)];
    expect(await followed(reader, steps, { isFailed: true })).toEqual(["killed"]);
  });
});

describe("a past time", () => {
  it.each([
    ["90s", 90_000],
    ["30m", 1_800_000],
    ["1h", 3_600_000],
    ["7d", 604_800_000],
  ])("%s", (text, ms) => {
    expect(sinceMs("--since", text, noonMs)).toBe(noonMs - ms);
  });

  it.each(["", "h", "1", "1w", "-1h", "1.5h", "1h30m"])("is refused as %j", (text) => {
    expect(() => sinceMs("--since", text, noonMs)).toThrow("must be a time such as 90s");
  });
});
