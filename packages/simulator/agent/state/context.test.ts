import { describe, expect, it } from "vitest";
import { runToEnd } from "../../../../testing/simulator/agent-client.js";
import { startStand } from "../../../../testing/simulator/stand.js";
import { startedEach } from "../../../../testing/started.js";

const stand = startedEach(() => startStand());

describe("the caller's system prompt", () => {
  const global = { type: { case: "global" as const, value: {} } };

  it.each([
    ["a global rule", {}, { rules: [{ content: "Speak like a pirate", type: global }] }],
    ["the custom prompt", { customSystemPrompt: "Speak like a pirate" }, {}],
    ["the newer field", { systemPromptSpec: { spec: { case: "append" as const, value: "Speak like a pirate" } } }, {}],
    ["the cloud rule", {}, { cloudRule: "Speak like a pirate" }],
  ])("counts when it comes as %s", async (_name, init, context) => {
    const client = await runToEnd(stand, "Who are you?", init, { context });
    expect(client.text).toContain('My system prompt: "Speak like a pirate"');
  });
});
