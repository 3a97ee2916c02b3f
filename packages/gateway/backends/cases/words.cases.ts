import { expect } from "vitest";
import { type BackendCase, flatten, joined, textOf } from "../../../../testing/backends/at-work.js";
import { collect } from "../../turn/collect.js";
import type { TurnEvent } from "../../turn/event.js";

const MEGABYTE = 1_000_000;
/** Characters of one to four bytes, some of which only make sense together. */
const oddText = "aé—🦆👩‍👩‍👧‍👦 e\u0301 한국어 ";

export const wordCases = {
  text: async ({ start }) => {
    const text = 'Grüße, "world" \\ 🦆 — two  blanks,\n a line and a tab\t.';
    expect(await textOf(start(`[[say ${text}]]`))).toBe(text);
  },

  thinking: async ({ start }) => {
    const events = await flatten(start("[[think let me see]] [[say there it is]]").events());
    expect(joined(events, "thinking")).toBe("let me see");
    expect(joined(events, "text")).toBe("there it is");
    const lastThought = events.findLastIndex(({ type }) => type === "thinking");
    expect(lastThought).toBeLessThan(events.findIndex(({ type }) => type === "text"));
  },

  "one finish, no empty batch": async ({ start }) => {
    const events: TurnEvent[] = [];
    for await (const batch of start("[[say one two three]]").events()) {
      expect(batch.length).toBeGreaterThan(0);
      events.push(...batch);
    }
    expect(events.filter(({ type }) => type === "finish")).toEqual([{ type: "finish", reason: "stop" }]);
    expect(events.at(-1)?.type).toBe("finish");
  },

  usage: async ({ start }) => {
    const { usage } = await collect(start("[[usage 1200 34 1000 20 7]] [[say counted]]").events());
    expect(usage).toMatchObject({
      inputTokens: 1200,
      outputTokens: 34,
      cacheReadTokens: 1000,
      cacheWriteTokens: 20,
      estimated: false,
    });
  },

  "usage: tokens of thinking": async ({ start }) => {
    const { usage } = await collect(start("[[usage 1200 34 1000 20 7]] [[say counted]]").events());
    expect(usage?.reasoningTokens).toBe(7);
  },

  "usage: measured or estimated": async ({ start }) => {
    const { usage } = await collect(start("[[say a few words to be counted]]").events());
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(usage?.outputTokens).toBeGreaterThan(0);
  },

  "1 MB prompt": async ({ start }) => {
    const filler = "All work and no play. ".repeat(MEGABYTE / 22);
    expect(await textOf(start(`[[say from the beginning]] ${filler} [[say  to the end]]`))).toMatch(
      /from the beginning.*to the end/s,
    );
  },

  "Unicode cut at odd places": async ({ startCut }) => {
    const text = oddText.repeat(20).trim();
    expect(await textOf(await startCut(`[[say ${text}]]`))).toBe(text);
  },

  "slow reader": async ({ start }) => {
    const said = Array.from({ length: 500 }, (_, index) => `word${index}`).join(" ");
    let text = "";
    for await (const batch of start(`[[say ${said}]]`).events()) {
      text += joined(batch, "text");
      await new Promise(setImmediate);
    }
    expect(text).toBe(said);
  },

  "two turns at once": async ({ start }) => {
    const left = start("[[say a1-]] [[wait 20]] [[say a2-]] [[wait 20]] [[say a3]]");
    const right = start("[[wait 10]] [[say b1-]] [[wait 20]] [[say b2-]] [[say b3]]");
    expect(await Promise.all([textOf(left), textOf(right)])).toEqual(["a1-a2-a3", "b1-b2-b3"]);
  },

  models: async ({ backend }) => {
    const models = await backend.models(AbortSignal.timeout(10_000));
    expect(models.length).toBeGreaterThan(0);
    for (const model of models) expect([model.id, model.name]).not.toContain("");
  },
} satisfies Record<string, BackendCase>;
