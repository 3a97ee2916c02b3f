import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { noonMs, sampleDetail, sampleEntry, sampleTokens } from "../../../testing/ledger/sample-entries.js";
import { commentedEntries } from "../../../tests/guide/commented.js";
import type { JournalDetail, LedgerEntry } from "../ledger/index.js";
import { explain } from "./causes.js";
import type { Paragraph } from "./index.js";
import { remedies } from "./remedies.js";
import { neighboursOf } from "./turns.js";

const MINUTE_MS = 60_000;

function explained(
  changes: Partial<LedgerEntry>,
  detail?: Partial<JournalDetail>,
  others: readonly LedgerEntry[] = [],
): readonly Paragraph[] {
  const entry = sampleEntry(changes);
  return explain(entry, detail && sampleDetail(detail), neighboursOf(entry, others));
}

function about(topic: string, paragraphs: readonly Paragraph[]): Paragraph | undefined {
  return paragraphs.find((each) => each.topic === topic);
}

const source = readFileSync(new URL("../../gateway/core/continuity.ts", import.meta.url), "utf8");
const noted = (state: string, declaration: string) =>
  commentedEntries(source, declaration).map(({ name }) => (state === "" ? name : `${state}:${name}`));
const continuities = [
  ...noted("", "type KeptState ="),
  ...noted("warm", "export type WarmNote ="),
  ...noted("cold", "type ColdReason ="),
];

describe("the continuity of a request", () => {
  it.each(continuities)("is explained in one paragraph: %s", (continuity) => {
    const paragraph = about(continuity, explained({ continuity, sentAgainTokens: 48_213 }));
    expect(paragraph?.what).toMatch(/^[A-Z].*\.$/);
    if (continuity.startsWith("cold")) {
      expect(paragraph?.what).toMatch(
        /(Of the conversation, about 48,000 tokens were sent again|All of it was sent, about 48,000 tokens)\.$/,
      );
      expect(paragraph?.advice).toMatch(/^[A-Z].*\.$/);
    } else if (continuity !== "warm:settings-changed") {
      expect(paragraph?.what).toContain("The conversation (about 48,000 tokens) was resent under another id");
      const nothing = explained({ continuity, sentAgainTokens: 0 });
      expect(about(continuity, nothing)?.what).toMatch(/Nothing was sent again\.$/);
    } else expect(paragraph?.what).not.toContain("48,000");
  });

  it("has no advice at the beginning of a conversation", () => {
    const [paragraph] = explained({ continuity: "cold:new" });
    expect(paragraph).toMatchObject({ topic: "cold:new", advice: null });
  });

  it.each([
    ["system", /^The system prompt differs/, /same system prompt|Keep the system prompt the same/],
    ["tools", /^The client's tools differ/, /same tools in the same order/],
    ["nothing", /^Something besides the messages differs/, /one backend/],
  ])("names the changed setting: %s", (cacheMiss, what, advice) => {
    for (const continuity of ["warm:settings-changed", "cold:settings-changed"]) {
      const paragraph = about(continuity, explained({ continuity, cacheMiss }));
      expect(paragraph?.what).toMatch(what);
      expect(paragraph?.advice).toMatch(advice);
    }
  });

  it("has no advice for a prompt that changed while a run waited", () => {
    const paragraphs = explained({ continuity: "warm:settings-changed", round: 1 });
    expect(about("warm:settings-changed", paragraphs)?.advice).toBeNull();
  });

  it("says how late the results came if the run was given up", () => {
    const before = sampleEntry({
      id: "before",
      atMs: noonMs - 22 * MINUTE_MS,
      totalMs: MINUTE_MS,
      abandoned: "lease-expired",
    });
    const paragraph = about("resumed", explained({ continuity: "resumed" }, undefined, [before]));
    expect(paragraph?.what).toMatch(/given up: none came in time\. .* 21 min after the model had asked for them/);
    expect(paragraph?.advice).toContain("leaseMs");
  });

  it("is shown unchanged if written by another version", () => {
    expect(about("unknown", explained({ continuity: "cold:lunar" }))?.what).toContain("cold:lunar");
  });
});

describe("another model than before", () => {
  const before = sampleEntry({ id: "before", atMs: noonMs - MINUTE_MS, model: "gpt-5.5" });

  it.each([
    [12_000, "the cache of another."],
    [0, "so 12,345 tokens were read again."],
  ])("is named if it is the cause of the miss, with %i tokens from the cache", (cacheRead, words) => {
    const tokens = sampleTokens({ cacheRead });
    const paragraph = about("model-changed", explained({ cacheMiss: "model", tokens }, undefined, [before]));
    expect(paragraph?.what).toContain("came from gpt-5.5, this one from composer-2.5");
    expect(paragraph?.what).toContain(words);
  });

  it.each(["warm:settings-changed", "cold:settings-changed"])(
    "is the one reason, if it is what changed: %s",
    (continuity) => {
      const paragraphs = explained({ continuity, cacheMiss: "model", sentAgainTokens: 48_000 }, undefined, [before]);
      expect(paragraphs.map(({ topic }) => topic)).toEqual(["model-changed", "cost"]);
      const isCold = continuity.startsWith("cold");
      expect(about("model-changed", paragraphs)?.what.includes("about 48,000 tokens were sent again")).toBe(isCold);
    },
  );

  it("is not blamed otherwise: the previous request may belong to another conversation with an equal beginning", () => {
    const tokens = sampleTokens({ cacheRead: 0 });
    expect(about("model-changed", explained({ tokens }, undefined, [before]))).toBeUndefined();
  });
});

describe("a request that the client sends by itself", () => {
  it.each([
    ["title", "to name the conversation", null],
    ["suggestion", "to suggest what to type next", /^It takes a run each time: turn it off/],
    ["compaction", "to replace a long conversation", null],
    ["check", "to have a model judge a tool call", /^It takes a run each time: turn it off/],
  ] as const)("is told apart: %s", (side, words, advice) => {
    const found = about("side-request", explained({ side }));
    expect(found?.what).toContain(words);
    if (advice === null) expect(found?.advice).toBeNull();
    else expect(found?.advice).toMatch(advice);
    expect(about("side-request", explained({ side, runs: 0 }))?.advice).toBeNull();
  });
});

describe("the cost of a turn", () => {
  it("is the sum of its requests, in Cursor's count", () => {
    const turnId = "first";
    const first = sampleEntry({ id: turnId, turnId, tokens: null, atMs: noonMs - MINUTE_MS });
    const paragraph = about("cost", explained({ turnId, round: 1 }, undefined, [first]));
    expect(paragraph?.what).toBe("The turn took 12,345 tokens in (12,000 cached, 97%), 850 out.");
  });

  it("is marked if estimated", () => {
    const paragraph = about("cost", explained({ tokens: sampleTokens({ estimated: true }) }));
    expect(paragraph?.what).toContain("about 12,000 tokens");
  });

  it("is high for a large context, even if it is warm", () => {
    const context = sampleTokens({ input: 154_000 });
    expect(about("large-context", explained({ context }))?.what).toContain("154,000 tokens");
    expect(about("large-context", explained({ context, continuity: "cold:new" }))).toBeUndefined();
  });

  it("is high when the context is read with every round of tools", () => {
    const tokens = sampleTokens({ input: 123_450 });
    const paragraph = about("many-model-calls", explained({ tokens, toolRounds: 9 }));
    expect(paragraph?.what).toContain(
      "because it had 9 rounds of tools: 123,450 tokens in total, for a context of 12,345",
    );
  });

  it("is high when the model thinks much", () => {
    const tokens = sampleTokens({ output: 9_000, reasoning: 8_000 });
    expect(about("thinking", explained({ tokens }))?.what).toContain("8,000 of the 9,000 output tokens");
  });

  it("mentions an expired cache after a pause, but only for a large context", () => {
    const pause = { atMs: noonMs - 47 * MINUTE_MS, totalMs: 0 };
    const large = sampleEntry({ id: "before", ...pause, context: sampleTokens({ input: 50_000 }) });
    const small = sampleEntry({ id: "before", ...pause, context: sampleTokens({ input: 500 }) });
    const tokens = sampleTokens({ input: 51_000, cacheRead: 1_000 });
    expect(about("cache-unused", explained({ tokens }, undefined, [large]))?.what).toContain("47 min old");
    expect(about("cache-unused", explained({ tokens }, undefined, [small]))).toBeUndefined();
    expect(about("cache-unused", explained({ tokens }))).toBeUndefined();
    const recent = { ...large, atMs: noonMs - MINUTE_MS };
    expect(about("cache-unused", explained({ tokens }, undefined, [recent]))).toMatchObject({ advice: null });
  });

  it("is traced to the first request of the turn", () => {
    const turnId = "first";
    const first = sampleEntry({ id: turnId, turnId, atMs: noonMs - MINUTE_MS, continuity: "cold:edited" });
    const paragraphs = explained({ turnId, round: 1 }, undefined, [first]);
    expect(about("turn-began", paragraphs)?.what).toMatch(
      /^The turn began with request first\. The client sent a history/,
    );
  });
});

describe("time", () => {
  it.each([
    ["a reply that was not streamed", { stream: false }, "did not ask for a stream"],
    ["Curlew itself", { openedMs: 18_000 }, "18 s of that passed before Curlew had a run"],
    ["Cursor", { openedMs: 20 }, "Curlew waited for Cursor for most of it"],
  ])("until the first byte is explained by %s", (_, detail, words) => {
    expect(about("slow-first-byte", explained({ firstByteMs: 20_000 }, detail))?.what).toContain(words);
  });

  it("in tools is that of the whole turn", () => {
    const turnId = "first";
    const first = sampleEntry({ id: turnId, turnId, atMs: noonMs - 3 * MINUTE_MS, totalMs: 1_000, tokens: null });
    const paragraphs = explained({ turnId, round: 1, toolsMs: 170_000, totalMs: 10_000 }, undefined, [first]);
    expect(about("slow-tools", paragraphs)?.what).toBe(
      "Tool results took 2 min 50 s of the turn's 3 min 10 s, including the time to approve calls.",
    );
  });
});

describe("the end of a request", () => {
  it.each(Object.keys(remedies))("comes with a remedy: %s", (outcome) => {
    const paragraph = about(outcome, explained({ outcome, message: "It broke." }));
    expect(paragraph?.what).toMatch(new RegExp(`^(It failed|Curlew refused it) with ${outcome}: It broke\\.$`));
    expect(paragraph?.advice).toMatch(/^[A-Za-z].*\.$/);
  });

  it("is explained for a client that left", () => {
    const left = (firstByteMs: number | null) =>
      about("client-left", explained({ outcome: "client-left", firstByteMs, totalMs: 60_000 }));
    expect(left(null)?.what).toBe("The client closed the connection after 1 min, before the reply had begun.");
    expect(left(900)?.what).toContain("in the middle of the reply");
  });

  it("is explained for a process that ended first", () => {
    const [paragraph] = explained({ outcome: "interrupted", totalMs: null, tokens: null });
    expect(paragraph?.topic).toBe("interrupted");
  });

  it("mentions retries, with advice for many", () => {
    expect(about("retries", explained({ retries: 1, runs: 2 }))).toMatchObject({
      what: "Curlew retried it once at Cursor (2 runs).",
      advice: null,
    });
    const many = about("retries", explained({ retries: 3, runs: 4, outcome: "timeout" }));
    expect(many?.what).toContain("3 times at Cursor (4 runs)");
    expect(many?.advice).toContain("doctor");
  });

  it("may be that of another request", () => {
    const paragraphs = explained({ continuity: "cold:new" }, { joined: "the-first" });
    expect(paragraphs).toEqual([expect.objectContaining({ topic: "joined" })]);
    expect(paragraphs[0]?.what).toContain("repeated the-first");
  });

  it.each([
    ["lease-expired", "given up: none came in time."],
    ["eclipse", "given up: eclipse."],
  ])("may be an abandoned run: %s", (abandoned, words) => {
    const paragraph = about("abandoned", explained({ abandoned }, { clientCalls: 2 }));
    expect(paragraph?.what).toContain("ended with 2 tool calls");
    expect(paragraph?.what).toContain(words);
  });
});
