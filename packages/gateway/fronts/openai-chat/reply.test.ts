import { describe, expect, it } from "vitest";
import { sampleResult } from "../../../../testing/samples/sample-events.js";
import { sampleUsage } from "../../../../testing/samples/sample-usage.js";
import type { TurnResult } from "../../turn/collect.js";
import { writeReply } from "./reply.js";

const head = { id: "x1", createdMs: 1_700_000_000_999, model: "auto" };
const options = { customTools: new Set(["py"]), usesFunctions: false };
const call = (id: string, name: string, input: string) => ({ type: "call", id, name, input }) as const;
const write = (changes: Partial<TurnResult>) => writeReply(sampleResult("Hello", changes), options, head);

describe("a whole reply", () => {
  it("has every field of the API", () => {
    expect(write({ usage: sampleUsage })).toEqual({
      id: "chatcmpl-x1",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "auto",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hello", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 8 },
      },
    });
  });

  it("has no usage when it is unknown", () => {
    expect(write({})).not.toHaveProperty("usage");
  });

  it("shows thinking and calls, and null for missing text", () => {
    const calls = [call("c1", "ls", '{"a":1}'), call("c2", "pwd", "")];
    const reply = write({ text: "", thinking: "hm", calls, finish: "tool-calls" });
    expect(reply.choices[0]).toMatchObject({
      message: {
        content: null,
        reasoning_content: "hm",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "ls", arguments: '{"a":1}' } },
          { id: "c2", type: "function", function: { name: "pwd", arguments: "{}" } },
        ],
      },
      finish_reason: "tool_calls",
    });
  });

  it("answers a custom tool with its text", () => {
    const calls = [call("c1", "py", '{"input":"1 + 1"}')];
    expect(write({ calls, finish: "tool-calls" }).choices[0]).toMatchObject({
      message: { tool_calls: [{ id: "c1", type: "custom", custom: { name: "py", input: "1 + 1" } }] },
      finish_reason: "tool_calls",
    });
  });

  it("answers old functions with their call and finish reason", () => {
    const result = sampleResult("", { calls: [call("c1", "ls", "")], finish: "tool-calls" });
    const [choice] = writeReply(result, { ...options, usesFunctions: true }, head).choices;
    expect(choice).toEqual({
      index: 0,
      message: { role: "assistant", content: null, function_call: { name: "ls", arguments: "{}" }, refusal: null },
      logprobs: null,
      finish_reason: "function_call",
    });
  });

  it("keeps text beside calls, and an empty answer as an empty string", () => {
    const calls = [call("c1", "ls", "{}")];
    expect(write({ calls }).choices[0]?.message.content).toBe("Hello");
    expect(write({ text: "" }).choices[0]?.message.content).toBe("");
  });
});
