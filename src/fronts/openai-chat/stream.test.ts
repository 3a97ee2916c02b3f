import { describe, expect, it } from "vitest";
import { parseSse } from "../../../testing/clients/parse-sse.js";
import { sampleUsage } from "../../../testing/samples/sample-usage.js";
import type { TurnEvent } from "../../turn/event.js";
import { FrameText } from "../frame.js";
import type { ReplyHead } from "../front.js";
import { ChatStreamEncoder } from "./stream.js";

const head: ReplyHead = { id: 'a"b', createdMs: 1_700_000_000_999, model: "gpt-\u00e9" };
const usageJson = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens_details: { reasoning_tokens: 8 },
};

/** The plain JSON that the encoder must equal. */
function chunk(delta: object, { finish = null as string | null, includeUsage = false } = {}): string {
  return frame({
    id: 'chatcmpl-a"b',
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "gpt-\u00e9",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(includeUsage && { usage: null }),
  });
}

function frame(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function encode(events: readonly TurnEvent[], includeUsage = false): string {
  const out = new FrameText();
  const encoder = new ChatStreamEncoder({ includeUsage, customTools: new Set(["py"]) }, head, out);
  encoder.push(events);
  encoder.end();
  return out.take();
}

const role = { role: "assistant", content: "" };

describe("the chunks of a stream", () => {
  it.each(["Hello", 'q"uo\\te', "\u0000\u0001\u001f\n\r\t", "\ud83d", "\u2028\u2029", "Grüße 🦆"])(
    "are byte for byte the plain JSON of each chunk: %j",
    (delta) => {
      const events: TurnEvent[] = [
        { type: "thinking", delta },
        { type: "text", delta },
        { type: "call", id: delta, name: delta, runs: "client" },
        { type: "call-input", id: delta, delta },
        { type: "call-end", id: delta },
        { type: "finish", reason: "tool-calls" },
      ];
      const call = { index: 0, id: delta, type: "function", function: { name: delta, arguments: "" } };
      for (const includeUsage of [false, true]) {
        expect(encode(events, includeUsage)).toBe(
          [
            chunk(role, { includeUsage }),
            chunk({ reasoning_content: delta }, { includeUsage }),
            chunk({ content: delta }, { includeUsage }),
            chunk({ tool_calls: [call] }, { includeUsage }),
            chunk({ tool_calls: [{ index: 0, function: { arguments: delta } }] }, { includeUsage }),
            chunk({}, { finish: "tool_calls", includeUsage }),
            "data: [DONE]\n\n",
          ].join(""),
        );
      }
    },
  );

  it("tell the usage behind the finish, and only to a client that asked", () => {
    const events: TurnEvent[] = [
      { type: "usage", usage: sampleUsage },
      { type: "finish", reason: "stop" },
    ];
    const frames = parseSse(encode(events, true)).slice(-3);
    expect(JSON.parse(frames[0]?.data ?? "")).toMatchObject({ choices: [{ finish_reason: "stop" }], usage: null });
    expect(JSON.parse(frames[1]?.data ?? "")).toEqual({
      id: 'chatcmpl-a"b',
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "gpt-\u00e9",
      choices: [],
      usage: usageJson,
    });
    expect(frames[2]?.data).toBe("[DONE]");
    expect(encode(events)).not.toContain("usage");
  });

  it("have no usage chunk when nobody knows the usage", () => {
    expect(parseSse(encode([{ type: "finish", reason: "stop" }], true))).toHaveLength(3);
  });

  it("number the client's calls, and show none that others run", () => {
    const events: TurnEvent[] = [
      { type: "call", id: "g", name: "search", runs: "gateway" },
      { type: "call-input", id: "g", delta: "{}" },
      { type: "call-end", id: "g" },
      { type: "call-result", id: "g", summary: "s" },
      { type: "call", id: "a", name: "one", runs: "client" },
      { type: "call-input", id: "a", delta: "{" },
      { type: "call-input", id: "a", delta: "}" },
      { type: "call-end", id: "a" },
      { type: "call", id: "s", name: "shell", runs: "backend" },
      { type: "call", id: "b", name: "two", runs: "client" },
      { type: "call-end", id: "b" },
    ];
    const shown = parseSse(encode(events))
      .slice(1, -2)
      .map(({ data }) => JSON.parse(data).choices[0].delta.tool_calls[0]);
    expect(shown).toEqual([
      { index: 0, id: "a", type: "function", function: { name: "one", arguments: "" } },
      { index: 0, function: { arguments: "{" } },
      { index: 0, function: { arguments: "}" } },
      { index: 1, id: "b", type: "function", function: { name: "two", arguments: "" } },
      { index: 1, function: { arguments: "{}" } },
    ]);
  });

  it("show a call of a custom tool in one piece, with its text", () => {
    const events: TurnEvent[] = [
      { type: "call", id: "a", name: "ls", runs: "client" },
      { type: "call-end", id: "a" },
      { type: "call", id: "b", name: "py", runs: "client" },
      { type: "call-input", id: "b", delta: '{"input":"1 ' },
      { type: "call-input", id: "b", delta: '+ 1"}' },
      { type: "call-end", id: "b" },
    ];
    const shown = parseSse(encode(events))
      .slice(3, -2)
      .map(({ data }) => JSON.parse(data).choices[0].delta);
    expect(shown).toEqual([
      { tool_calls: [{ index: 1, id: "b", type: "custom", custom: { name: "py", input: "1 + 1" } }] },
    ]);
  });

  it("end with tool_calls when a forgotten finish left calls open, else with stop", () => {
    expect(encode([{ type: "call", id: "a", name: "n", runs: "client" }])).toContain('"finish_reason":"tool_calls"');
    expect(encode([{ type: "text", delta: "x" }])).toContain('"finish_reason":"stop"');
  });

  it("carry the role once, in the first of them", () => {
    const out = new FrameText();
    const encoder = new ChatStreamEncoder({ includeUsage: false, customTools: new Set() }, head, out);
    encoder.push([{ type: "text", delta: "a" }]);
    const first = out.take();
    encoder.push([{ type: "text", delta: "b" }]);
    encoder.end();
    const rest = out.take();
    expect(parseSse(first)).toHaveLength(2);
    expect(first).toContain('"role":"assistant"');
    expect(rest).not.toContain("role");
  });

  it("say in a comment that their usage is a guess", () => {
    const end: TurnEvent = { type: "finish", reason: "stop" };
    const mark = ": x-curlew-usage: estimated\n\n";
    expect(encode([{ type: "usage", usage: { ...sampleUsage, estimated: true } }, end])).toContain(mark);
    expect(encode([{ type: "usage", usage: sampleUsage }, end])).not.toContain(mark);
  });
});
