import { describe, expect, it } from "vitest";
import { parseSse } from "../../../../testing/clients/parse-sse.js";
import {
  beginCall,
  call,
  counted,
  finished,
  oddTexts,
  ownCall,
  said,
  thought,
} from "../../../../testing/samples/sample-events.js";
import type { TurnEvent } from "../../turn/event.js";
import { FrameText } from "../frame.js";
import type { ReplyHead } from "../front.js";
import { ChatStreamEncoder } from "./stream.js";

const head: ReplyHead = { id: 'a"b', createdMs: 1_700_000_000_999, model: "gpt-\u00e9" };
const written = { id: 'chatcmpl-a"b', object: "chat.completion.chunk", created: 1_700_000_000, model: "gpt-\u00e9" };

/** The plain JSON that the encoder must equal. */
function chunk(delta: object, { finish = null as string | null, includeUsage = false } = {}): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return `data: ${JSON.stringify({ ...written, choices, ...(includeUsage && { usage: null }) })}\n\n`;
}

function encode(events: readonly TurnEvent[], includeUsage = false): string {
  const out = new FrameText();
  const encoder = new ChatStreamEncoder(
    { includeUsage, customTools: new Set(["py"]), usesFunctions: false },
    head,
    out,
  );
  encoder.push(events);
  encoder.end();
  return out.take();
}

const role = { role: "assistant", content: "" };

describe("the chunks of a stream", () => {
  it.each(oddTexts)("are byte for byte the plain JSON of each chunk: %j", (delta) => {
    const events = [thought(delta), said(delta), ...call(delta, delta, delta), finished("tool-calls")];
    const called = { index: 0, id: delta, type: "function", function: { name: delta, arguments: "" } };
    for (const includeUsage of [false, true]) {
      expect(encode(events, includeUsage)).toBe(
        [
          chunk(role, { includeUsage }),
          chunk({ reasoning_content: delta }, { includeUsage }),
          chunk({ content: delta }, { includeUsage }),
          chunk({ tool_calls: [called] }, { includeUsage }),
          chunk({ tool_calls: [{ index: 0, function: { arguments: delta } }] }, { includeUsage }),
          chunk({}, { finish: "tool_calls", includeUsage }),
          "data: [DONE]\n\n",
        ].join(""),
      );
    }
  });

  it("have the usage after the finish, only if requested", () => {
    const events = [counted(), finished()];
    const [finish, last, done] = parseSse(encode(events, true)).slice(-3);
    expect(JSON.parse(finish?.data ?? "")).toMatchObject({ choices: [{ finish_reason: "stop" }], usage: null });
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 8 },
    };
    expect(JSON.parse(last?.data ?? "")).toEqual({ ...written, choices: [], usage });
    expect(done?.data).toBe("[DONE]");
    expect(encode(events)).not.toContain("usage");
  });

  it("have no usage chunk when the usage is unknown", () => {
    expect(parseSse(encode([finished()], true))).toHaveLength(3);
  });

  it("number the client's calls, and omit those that it does not run", () => {
    const shell: TurnEvent = { type: "call", id: "s", name: "shell", runs: "backend" };
    const events = [...ownCall, ...call("a", "one", "{", "}"), shell, ...call("b", "two")];
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
    const shown = parseSse(encode([...call("a", "ls"), ...call("b", "py", '{"input":"1 ', '+ 1"}')]))
      .slice(3, -2)
      .map(({ data }) => JSON.parse(data).choices[0].delta);
    expect(shown).toEqual([
      { tool_calls: [{ index: 1, id: "b", type: "custom", custom: { name: "py", input: "1 + 1" } }] },
    ]);
  });

  it("without a finish end with tool_calls if there were calls, else with stop", () => {
    expect(encode([beginCall("a", "n")])).toContain('"finish_reason":"tool_calls"');
    expect(encode([said("x")])).toContain('"finish_reason":"stop"');
  });

  it("carry the role once, in the first chunk", () => {
    const out = new FrameText();
    const encoder = new ChatStreamEncoder(
      { includeUsage: false, customTools: new Set(), usesFunctions: false },
      head,
      out,
    );
    encoder.push([said("a")]);
    const first = out.take();
    encoder.push([said("b")]);
    encoder.end();
    const rest = out.take();
    expect(parseSse(first)).toHaveLength(2);
    expect(first).toContain('"role":"assistant"');
    expect(rest).not.toContain("role");
  });

  it("say in a comment that their usage is estimated", () => {
    const mark = ": x-curlew-usage: estimated\n\n";
    expect(encode([counted({ estimated: true }), finished()])).toContain(mark);
    expect(encode([counted(), finished()])).not.toContain(mark);
  });
});
