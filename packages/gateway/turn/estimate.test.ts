import { describe, expect, it } from "vitest";
import { userTurn } from "../../../testing/backends/scripted/index.js";
import { estimatedInput, estimatedUsage } from "./estimate.js";
import type { Turn } from "./turn.js";

const empty = userTurn("", { messages: [] });
const user = (...content: Extract<Turn["messages"][number], { role: "user" }>["content"]): Turn => ({
  ...empty,
  messages: [{ role: "user", content }],
});

describe("an estimate of the input", () => {
  it.each<[string, Turn, number]>([
    ["nothing", empty, 0],
    ["the system prompt", { ...empty, system: "x".repeat(40) }, 10],
    ["words", user({ type: "text", text: "x".repeat(41) }), 11],
    ["an image", user({ type: "image", mimeType: "image/png", data: new Uint8Array(5) }), 1_000],
    ["an image by its address", user({ type: "remote-image", url: "https://example.com/a.png" }), 1_000],
    ["a PDF, by its size", user({ type: "pdf", data: new Uint8Array(40_000) }), 1_000],
    ["a PDF by its address", user({ type: "remote-pdf", url: "https://example.com/a.pdf" }), 2_000],
    [
      "tools with their schemas",
      { ...empty, tools: [{ name: "ab", description: "x".repeat(20), inputSchema: { type: "object" } }] },
      10,
    ],
    [
      "calls, thinking and results",
      {
        ...empty,
        messages: [
          {
            role: "assistant",
            content: [
              { type: "thinking", text: "x".repeat(8) },
              { type: "call", id: "c", name: "bash", input: "{}" },
            ],
          },
          { role: "tool", results: [{ callId: "c", content: [{ type: "text", text: "ok" }], isError: false }] },
        ],
      },
      4,
    ],
  ])("counts %s", (_, turn, tokens) => {
    expect(estimatedInput(turn)).toBe(tokens);
  });
});

it("is marked as an estimate", () => {
  expect(estimatedUsage(7, 9)).toMatchObject({ inputTokens: 7, outputTokens: 3, estimated: true });
});
