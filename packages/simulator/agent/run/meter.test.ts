import { describe, expect, it } from "vitest";
import {
  type AgentClient,
  type ClientHabits,
  type RunInit,
  runToEnd,
} from "../../../../testing/simulator/agent-client.js";
import { startStand } from "../../../../testing/simulator/stand.js";
import { startedEach } from "../../../../testing/started.js";
import { Meter, PrefixCache } from "./meter.js";

const stand = startedEach(() => startStand());

function run(text: string, init: RunInit = {}, habits: ClientHabits = {}): Promise<AgentClient> {
  return runToEnd(stand, text, init, habits);
}

const mcpTools = { mcpTools: [{ toolName: "a", name: "own-a", providerIdentifier: "own" }] };

describe("usage", () => {
  it("shows a continued conversation as cache reads", async () => {
    const first = await run(`${"words ".repeat(200)} [[say first]]`);
    const one = first.usage;
    expect(one).toMatchObject({ cacheRead: 0, cacheWrite: one.input, reasoning: 0 });
    const second = await run(
      "[[think hm]] [[say second]]",
      { conversationState: first.lastState },
      { blobs: first.blobs },
    );
    const two = second.usage;
    expect(two.cacheRead).toBe(one.input);
    expect(two.input).toBeGreaterThan(two.cacheRead);
    expect(two.cacheWrite).toBe(two.input - two.cacheRead);
    expect(two.cacheWrite).toBeLessThan(60);
    expect(two.reasoning).toBeGreaterThan(0);
    expect(stand.world.stats).toMatchObject({
      inputTokens: one.input + two.input,
      cacheReadTokens: two.cacheRead,
    });
  });

  it.each([
    ["other tools", { mcpTools }, {}],
    ["another system prompt", { customSystemPrompt: "new" }, {}],
    ["other rules", {}, { rules: [{ content: "new", type: { type: { case: "global" as const, value: {} } } }] }],
  ])("misses the cache with %s", async (_name, init, context) => {
    const first = await run("[[say first]]");
    const conversationState = first.lastState;
    const second = await run("[[say second]]", { ...init, conversationState }, { blobs: first.blobs, context });
    expect(second.usage.cacheRead).toBeLessThan(40);
  });

  it("adds up the model calls of a turn", async () => {
    const once = (await run("[[say x]]", { mcpTools })).usage;
    const client = await run("[[call a {}]] then [[call a {}]] then [[say x]]", { mcpTools });
    expect(client.usage.input).toBeGreaterThan(3 * once.input);
    expect(client.usage.cacheRead).toBeGreaterThan(once.input);
  });

  it("can be set by a directive", async () => {
    const client = await run("[[usage 11 12 13 14 15]] [[say x]]");
    expect(client.usage).toEqual({ input: 11, output: 12, cacheRead: 13, cacheWrite: 14, reasoning: 15 });
    expect(stand.world.stats).toMatchObject({ inputTokens: 11, cacheReadTokens: 13 });
  });
});

function prompt(keys: string) {
  return [...keys].map((key) => ({ key, tokens: 10 }));
}

describe("the prefix cache", () => {
  it.each([
    ["nothing of a new prompt", [], "abc", 0],
    ["all of a prompt that was read before", ["abc"], "abc", 30],
    ["the beginning that was read before", ["abc"], "abcde", 30],
    ["the beginning that two prompts share", ["abx"], "abcde", 20],
    ["nothing when the head differs", ["abc"], "xbc", 0],
    ["nothing behind the first difference", ["abcde"], "abxde", 20],
    ["the longest of several", ["a", "abcd", "ab"], "abcx", 30],
  ])("holds %s", (_name, before, keys, tokens) => {
    const cache = new PrefixCache();
    for (const read of before) cache.read(prompt(read));
    expect(cache.read(prompt(keys))).toBe(tokens);
  });

  it("evicts the oldest when it is full", () => {
    const cache = new PrefixCache(3);
    cache.read(prompt("a"));
    cache.read(prompt("bcd"));
    expect(cache.read(prompt("a"))).toBe(0);
  });
});

describe("the meter", () => {
  it("adds up all model calls of a turn, with the cached part separate", () => {
    const meter = new Meter(new PrefixCache());
    expect(meter.read(prompt("ab"))).toEqual({ input: 20, cacheRead: 0 });
    meter.write(8, false);
    expect(meter.read(prompt("abcd"))).toEqual({ input: 40, cacheRead: 20 });
    meter.write(5, true);
    meter.write(0, false);
    expect(meter.usage).toEqual({ input: 60, output: 4, cacheRead: 20, cacheWrite: 40, reasoning: 2 });
    expect(meter.contextTokens).toBe(42);
  });
});
