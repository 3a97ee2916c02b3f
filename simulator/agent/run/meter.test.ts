import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClientHabits, type RawClient, type RunInit, runToEnd } from "../raw-client.js";
import { type Stand, startStand } from "../stand.js";

let stand: Stand;
beforeEach(async () => {
  stand = await startStand();
});
afterEach(() => stand.close());

function run(text: string, init: RunInit = {}, habits: ClientHabits = {}): Promise<RawClient> {
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

  it("is what a directive says", async () => {
    const client = await run("[[usage 11 12 13 14 15]] [[say x]]");
    expect(client.usage).toEqual({ input: 11, output: 12, cacheRead: 13, cacheWrite: 14, reasoning: 15 });
    expect(stand.world.stats).toMatchObject({ inputTokens: 11, cacheReadTokens: 13 });
  });
});
