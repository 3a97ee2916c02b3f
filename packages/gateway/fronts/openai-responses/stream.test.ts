import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { emptyStore } from "../../../../testing/clients/client-request.js";
import { parseSse } from "../../../../testing/clients/parse-sse.js";
import {
  call,
  counted,
  finished,
  oddTexts,
  ownCall,
  said,
  thought,
} from "../../../../testing/samples/sample-events.js";
import { GatewayError } from "../../turn/error.js";
import type { TurnEvent } from "../../turn/event.js";
import { FrameText } from "../frame.js";
import type { ReplyHead } from "../front.js";
import { parseRequest } from "./parse.js";
import { ResponsesStreamEncoder } from "./stream.js";

const head: ReplyHead = { id: "a1", createdMs: 1_700_000_000_999, model: "gpt-\u00e9" };
const endedMs = 1_700_000_005_000;
const tools = [
  { type: "function", name: "ls" },
  { type: "custom", name: "patch" },
  {
    type: "namespace",
    name: "ns",
    tools: [
      { type: "function", name: "rm" },
      { type: "custom", name: "exec" },
    ],
  },
];

function newRequest(fields: object = {}) {
  return parseRequest({ body: { model: "auto", input: "hi", tools, ...fields }, store: emptyStore }).request;
}

function encode(events: readonly TurnEvent[], request = newRequest()): string {
  const out = new FrameText();
  const encoder = new ResponsesStreamEncoder(request, head, out);
  encoder.push(events);
  encoder.end(endedMs);
  return out.take();
}

function read(frames: string): ResponseStreamEvent[] {
  return parseSse(frames).map(({ event, data }) => {
    const parsed: ResponseStreamEvent = JSON.parse(data);
    expect(parsed.type).toBe(event);
    return parsed;
  });
}

describe("the events of a stream", () => {
  // The recorded streams in tests/golden/ cover everything else in the events.
  it("are numbered, have ids of the response and its items, and end with the times and the usage", () => {
    const events = read(encode([thought("hm"), said("Hello"), ...call("c1", "ls", "{}"), counted(), finished()]));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    expect(events.filter((event) => "delta" in event)).toMatchObject([
      { item_id: "rs_a1_0", output_index: 0 },
      { item_id: "msg_a1_1", output_index: 1 },
      { item_id: "fc_a1_2", output_index: 2 },
    ]);
    const written = { id: "resp_a1", object: "response", created_at: 1_700_000_000, model: "gpt-\u00e9" };
    const running = { ...written, status: "in_progress", output: [], usage: null, completed_at: null, error: null };
    expect(events[0]).toMatchObject({ type: "response.created", response: running });
    expect(events[1]).toMatchObject({ type: "response.in_progress", response: running });
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: {
        ...written,
        completed_at: 1_700_000_005,
        output: [{ id: "rs_a1_0" }, { id: "msg_a1_1" }, { id: "fc_a1_2", call_id: "c1" }],
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 60, cache_write_tokens: 5 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 8 },
          total_tokens: 120,
        },
      },
    });
  });

  it.each(oddTexts)("encode every text like plain JSON: %j", (delta) => {
    const frames = encode([thought(delta), said(delta), ...call("c1", "ls", delta), finished()]);
    const deltas = read(frames).flatMap((event) => ("delta" in event ? [event.delta] : []));
    expect(deltas).toEqual([delta, delta, delta]);
    for (const line of frames.split("\n").filter((each) => each.startsWith("data: "))) {
      expect(line).toBe(`data: ${JSON.stringify(JSON.parse(line.slice(6)))}`);
    }
  });

  it("begin a second message for text after a call", () => {
    const frames = encode([said("a"), ...call("c1", "ls"), said("b"), finished()]);
    const done = read(frames).flatMap((event) => (event.type === "response.output_item.done" ? [event.item] : []));
    expect(done).toMatchObject([
      { id: "msg_a1_0", content: [{ text: "a" }] },
      { id: "fc_a1_1", arguments: "{}" },
      { id: "msg_a1_2", content: [{ text: "b" }] },
    ]);
    expect(frames).toContain('"delta":"{}"');
  });

  it("omit calls that the client does not run, and empty text", () => {
    const frames = encode([...ownCall, said(""), thought(""), finished()]);
    expect(read(frames).map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.completed",
    ]);
  });

  it("always end with numbers for the usage, and say when they are estimated", () => {
    const end = read(encode([finished()])).at(-1);
    expect(end).toMatchObject({ response: { usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } } });
    const mark = ": x-curlew-usage: estimated\n\n";
    expect(encode([counted({ estimated: true }), finished()])).toContain(mark);
    expect(encode([counted(), finished()])).not.toContain(mark);
  });

  it("report a failure once, under the same id, and keep the finished output", () => {
    const out = new FrameText();
    const encoder = new ResponsesStreamEncoder(newRequest(), head, out);
    encoder.push([...call("c1", "ls"), said("half")]);
    encoder.fail(new GatewayError("overloaded", "Too much."));
    const events = read(out.take());
    expect(events.filter(({ type }) => type === "response.failed")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      sequence_number: events.length - 1,
      response: {
        id: "resp_a1",
        status: "failed",
        error: { code: "overloaded", message: "Too much." },
        output: [{ type: "function_call" }],
        usage: { total_tokens: 0 },
      },
    });
  });
});

describe("calls", () => {
  it.each([[['{"input":"ls -l\\n\\u00e9"}']], [['{"in', 'put":"ls -', "l\\", "n\\u0", '0e9"', "}"]]])(
    "of a custom tool are free text, however it was sliced: %j",
    (deltas) => {
      const events = read(encode([...call("c1", "patch", ...deltas), finished("tool-calls")])).slice(2, -1);
      const item = { id: "ctc_a1_0", type: "custom_tool_call", call_id: "c1", name: "patch" };
      expect(events).toMatchObject([
        { type: "response.output_item.added", item: { ...item, input: "" } },
        { type: "response.custom_tool_call_input.delta", item_id: "ctc_a1_0", output_index: 0, delta: "ls -l\né" },
        { type: "response.custom_tool_call_input.done", item_id: "ctc_a1_0", output_index: 0, input: "ls -l\né" },
        { type: "response.output_item.done", item: { ...item, input: "ls -l\né" } },
      ]);
    },
  );

  it("are returned under the client's names", () => {
    const events = read(
      encode([...call("c1", "ns__rm", "{}"), ...call("c2", "ns__exec", '{"input":"x"}'), finished("tool-calls")]),
    );
    expect(events.at(-1)).toMatchObject({
      response: {
        output: [
          { type: "function_call", name: "rm", namespace: "ns", arguments: "{}" },
          { type: "custom_tool_call", name: "exec", namespace: "ns", input: "x" },
        ],
      },
    });
    expect(events.find(({ type }) => type === "response.function_call_arguments.done")).toMatchObject({ name: "rm" });
  });
});

describe("reasoning", () => {
  const include = ["reasoning.encrypted_content"];
  const thinking = (signature?: string) => [thought("hm", signature), finished()];
  const outputOf = (frames: string) => {
    const last = read(frames).at(-1);
    return last?.type === "response.completed" ? last.response.output[0] : undefined;
  };

  it("is sealed for the client to send back, on request", () => {
    expect(outputOf(encode(thinking("sig")))).not.toHaveProperty("encrypted_content");
    expect(outputOf(encode(thinking("sig"), newRequest({ include })))).toMatchObject({ encrypted_content: "sig" });
  });

  it("with only a signature has no summary, nor events of one", () => {
    const events = read(encode([thought("", "sig"), finished()], newRequest({ include })));
    expect(events.slice(2, -1).map(({ type }) => type)).toEqual([
      "response.output_item.added",
      "response.output_item.done",
    ]);
    expect(events.at(-1)).toMatchObject({ response: { output: [{ summary: [], encrypted_content: "sig" }] } });
  });

  it("is parsed back to the same thinking, signed or not", () => {
    for (const signature of ["sig", undefined]) {
      const item = outputOf(encode(thinking(signature), newRequest({ include })));
      expect(item).toHaveProperty("encrypted_content", expect.stringMatching(/./));
      const { turn } = parseRequest({
        body: { model: "auto", input: [{ role: "user", content: "hi" }, item] },
        store: emptyStore,
      });
      expect(turn.messages[1]).toEqual({
        role: "assistant",
        content: [{ type: "thinking", text: "hm", ...(signature !== undefined && { signature }) }],
      });
    }
  });
});
