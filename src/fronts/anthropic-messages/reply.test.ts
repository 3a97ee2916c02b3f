import { describe, expect, it } from "vitest";
import type { TurnResult } from "../../turn/collect.js";
import { OWN_SIGNATURE } from "./message.js";
import type { MessagesOptions } from "./parse.js";
import { writeReply } from "./reply.js";

const head = { id: "x1", createdMs: 1_700_000_000_999, model: "auto" };
const options: MessagesOptions = { thinking: "shown", inputTokens: 70 };
const blocks: TurnResult["blocks"] = [
  { type: "thinking", text: "hm" },
  { type: "text", text: "Hello" },
  { type: "thinking", text: "hm again", signature: "signed" },
  { type: "call", id: "c1", name: "ls", input: '{"a":1}' },
  { type: "call", id: "c2", name: "pwd", input: "" },
];
const result: TurnResult = {
  blocks,
  text: "Hello",
  thinking: "hmhm again",
  calls: [],
  usage: {
    inputTokens: 100,
    outputTokens: 20,
    cacheReadTokens: 60,
    cacheWriteTokens: 5,
    reasoningTokens: 8,
    estimated: false,
  },
  finish: "tool-calls",
  stopSequence: undefined,
};

describe("a whole reply", () => {
  it("has everything the API promises, in the order in which it came", () => {
    expect(writeReply(result, options, head)).toEqual({
      id: "msg_x1",
      type: "message",
      role: "assistant",
      model: "auto",
      content: [
        { type: "thinking", thinking: "hm", signature: OWN_SIGNATURE },
        { type: "text", text: "Hello", citations: [] },
        { type: "thinking", thinking: "hm again", signature: "signed" },
        { type: "tool_use", id: "c1", name: "ls", input: { a: 1 }, caller: { type: "direct" } },
        { type: "tool_use", id: "c2", name: "pwd", input: {}, caller: { type: "direct" } },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 35,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 60,
        output_tokens: 20,
        output_tokens_details: { thinking_tokens: 8 },
        server_tool_use: null,
        cache_creation: null,
        inference_geo: null,
        service_tier: null,
        speed: null,
      },
    });
  });

  it("hides thinking, or only what was thought, as the client wants it", () => {
    const { content } = writeReply(result, { ...options, thinking: "omitted" }, head);
    expect(content[0]).toEqual({ type: "thinking", thinking: "", signature: OWN_SIGNATURE });
    const hidden = writeReply(result, { ...options, thinking: "none" }, head).content;
    expect(hidden).toMatchObject([{ type: "text" }, { type: "tool_use" }, { type: "tool_use" }]);
  });

  it("has usage also when nobody knows it", () => {
    expect(writeReply({ ...result, usage: undefined }, options, head).usage).toMatchObject({
      input_tokens: 70,
      output_tokens: 2,
    });
  });

  it("has no block for a text that is not there", () => {
    const silent: TurnResult = { ...result, blocks: [{ type: "text", text: "" }], finish: "stop" };
    expect(writeReply(silent, options, head)).toMatchObject({ content: [], stop_reason: "end_turn" });
  });
});
