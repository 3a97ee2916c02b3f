import { describe, expect, it } from "vitest";
import { sampleResult } from "../../../../testing/samples/sample-events.js";
import { sampleUsage } from "../../../../testing/samples/sample-usage.js";
import type { TurnResult } from "../../turn/collect.js";
import { type ErrorCode, GatewayError } from "../../turn/error.js";
import type { MessagesOptions } from "./message.js";
import { OWN_SIGNATURE, writeError, writeReply } from "./message.js";

const head = { id: "x1", createdMs: 1_700_000_000_999, model: "auto" };
const options: MessagesOptions = { thinking: "shown", inputTokens: 70 };
const blocks: TurnResult["blocks"] = [
  { type: "thinking", text: "hm" },
  { type: "text", text: "Hello" },
  { type: "thinking", text: "hm again", signature: "signed" },
  { type: "call", id: "c1", name: "ls", input: '{"a":1}' },
  { type: "call", id: "c2", name: "pwd", input: "" },
];
const result = sampleResult("Hello", { blocks, usage: sampleUsage, finish: "tool-calls" });

describe("a whole reply", () => {
  it("has everything the API promises, in the original order", () => {
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
      context_management: null,
      diagnostics: null,
      usage: {
        input_tokens: 35,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 60,
        output_tokens: 20,
        output_tokens_details: { thinking_tokens: 8 },
        server_tool_use: null,
        iterations: null,
        fallback_credit: null,
        cache_creation: null,
        inference_geo: null,
        service_tier: null,
        speed: null,
      },
    });
  });

  it("hides thinking, or only its text, as the client wants", () => {
    const { content } = writeReply(result, { ...options, thinking: "omitted" }, head);
    expect(content[0]).toEqual({ type: "thinking", thinking: "", signature: OWN_SIGNATURE });
    const hidden = writeReply(result, { ...options, thinking: "none" }, head).content;
    expect(hidden).toMatchObject([{ type: "text" }, { type: "tool_use" }, { type: "tool_use" }]);
  });

  it("has estimated usage when it is unknown", () => {
    expect(writeReply({ ...result, usage: undefined }, options, head).usage).toMatchObject({
      input_tokens: 70,
      output_tokens: 2,
    });
  });

  it("has no block for an empty text", () => {
    expect(writeReply(sampleResult(""), options, head)).toMatchObject({ content: [], stop_reason: "end_turn" });
  });
});

describe("an error in Anthropic's form", () => {
  it("has type, message and request id, our code and the field at fault, and the same in its frame", () => {
    const written = writeError(new GatewayError("invalid_request", "system: no.", { param: "system" }), "req-1");
    const body = {
      type: "error",
      error: { type: "invalid_request_error", message: "system: no.", code: "invalid_request", param: "system" },
      request_id: "req-1",
    };
    expect(written).toEqual({ status: 400, body, frame: { event: "error", data: JSON.stringify(body) } });
  });

  it.each<[ErrorCode, string]>([
    ["not_implemented", "invalid_request_error"],
    ["model_not_found", "not_found_error"],
    ["body_too_large", "request_too_large"],
    ["not_authenticated", "authentication_error"],
    ["plan_required", "permission_error"],
    ["insufficient_quota", "rate_limit_error"],
    ["overloaded", "overloaded_error"],
    ["timeout", "timeout_error"],
    ["upstream_error", "api_error"],
    ["server_error", "api_error"],
  ])("%s is of type %s", (code, type) => {
    expect(writeError(new GatewayError(code, "x"), "").body).toEqual({
      type: "error",
      error: { type, message: "x", code },
      request_id: null,
    });
  });

  it("about a thread has the details by which the client continues without one", () => {
    expect(writeError(new GatewayError("thread_unsupported", "x"), "r").body).toMatchObject({
      error: {
        type: "invalid_request_error",
        details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
      },
    });
  });
});
