import { describe, expect, it } from "vitest";
import { parseSse } from "../../../testing/clients/parse-sse.js";
import { sampleUsage } from "../../../testing/samples/sample-usage.js";
import type { TurnEvent } from "../../turn/event.js";
import { FrameText } from "../frame.js";
import type { ReplyHead } from "../front.js";
import type { MessagesOptions } from "./message.js";
import { OWN_SIGNATURE } from "./message.js";
import { MessagesStreamEncoder } from "./stream.js";

const head: ReplyHead = { id: "0a1b", createdMs: 1_700_000_000_999, model: "gpt-é" };
const zeros = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function encode(events: readonly TurnEvent[], thinking: MessagesOptions["thinking"] = "shown"): string {
  const out = new FrameText();
  const encoder = new MessagesStreamEncoder({ thinking, inputTokens: 70 }, head, out);
  encoder.push(events);
  encoder.end();
  return out.take();
}

/** The plain JSON that the encoder must equal. */
function frames(...events: { type: string; [field: string]: unknown }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

const parsed = (stream: string) => parseSse(stream).map(({ data }) => JSON.parse(data));
/** The events between the beginning and the end that every stream has. */
const inside = (stream: string) => parsed(stream).slice(2, -2);
const text = (delta: string): TurnEvent => ({ type: "text", delta });
const call = (id: string): TurnEvent => ({ type: "call", id, name: "bash", runs: "client" });
const input = (id: string, delta: string): TurnEvent => ({ type: "call-input", id, delta });
const end = (id: string): TurnEvent => ({ type: "call-end", id });
const toolUse = (id: string, name = "bash") => ({ type: "tool_use", id, name, input: {}, caller: { type: "direct" } });
const textBlock = { type: "text", text: "", citations: [] };
const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
const delta = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
const stop = (index: number) => ({ type: "content_block_stop", index });

describe("the events of a stream", () => {
  it.each(["Hello", 'q"uo\\te', "\u0000\u001f\n\r\t", "\ud83d", "\u2028\u2029", "Grüße 🦆"])(
    "are byte for byte the plain JSON of each event: %j",
    (odd) => {
      const events: TurnEvent[] = [
        { type: "thinking", delta: odd, signature: odd },
        text(odd),
        text(odd),
        { type: "call", id: odd, name: odd, runs: "client" },
        input(odd, odd),
        end(odd),
        { type: "usage", usage: sampleUsage },
        { type: "finish", reason: "tool-calls" },
      ];
      const message = {
        id: "msg_0a1b",
        type: "message",
        role: "assistant",
        model: "gpt-é",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        container: null,
        diagnostics: null,
        usage: {
          input_tokens: 70,
          ...zeros,
          output_tokens: 0,
          output_tokens_details: { thinking_tokens: 0 },
          server_tool_use: null,
          cache_creation: null,
          inference_geo: null,
          service_tier: null,
          speed: null,
        },
      };
      expect(encode(events)).toBe(
        frames(
          { type: "message_start", message },
          { type: "ping" },
          start(0, { type: "thinking", thinking: "", signature: "" }),
          delta(0, { type: "thinking_delta", thinking: odd }),
          delta(0, { type: "signature_delta", signature: odd }),
          stop(0),
          start(1, textBlock),
          delta(1, { type: "text_delta", text: odd }),
          delta(1, { type: "text_delta", text: odd }),
          stop(1),
          start(2, toolUse(odd, odd)),
          delta(2, { type: "input_json_delta", partial_json: odd }),
          stop(2),
          {
            type: "message_delta",
            delta: { stop_reason: "tool_use", stop_sequence: null, stop_details: null, container: null },
            usage: {
              input_tokens: 35,
              cache_creation_input_tokens: 5,
              cache_read_input_tokens: 60,
              output_tokens: 20,
              output_tokens_details: { thinking_tokens: 8 },
              server_tool_use: null,
            },
          },
          { type: "message_stop" },
        ),
      );
    },
  );

  it("sign thinking that came without a signature", () => {
    expect(inside(encode([{ type: "thinking", delta: "hm" }]))).toContainEqual(
      delta(0, { type: "signature_delta", signature: OWN_SIGNATURE }),
    );
    const blocks = inside(
      encode([{ type: "thinking", delta: "a", signature: "of a" }, text("b"), { type: "thinking", delta: "c" }]),
    );
    const signatures = blocks.flatMap(({ delta }) => (delta?.type === "signature_delta" ? [delta.signature] : []));
    expect(signatures).toEqual(["of a", OWN_SIGNATURE]);
    expect(OWN_SIGNATURE).toMatch(/^[A-Za-z0-9+/]+=*$/);
  });

  it("show only that the model thought where the client wants no more", () => {
    const events: TurnEvent[] = [
      { type: "thinking", delta: "secret " },
      { type: "thinking", delta: "plan" },
      text("a"),
    ];
    expect(inside(encode(events, "omitted")).slice(0, 4)).toEqual([
      start(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "signature_delta", signature: OWN_SIGNATURE }),
      stop(0),
      start(1, textBlock),
    ]);
  });

  it("do not show thinking to a client that did not ask for it", () => {
    const events: TurnEvent[] = [text("a"), { type: "thinking", delta: "secret" }, text("b")];
    expect(inside(encode(events, "none"))).toEqual([
      start(0, textBlock),
      delta(0, { type: "text_delta", text: "a" }),
      delta(0, { type: "text_delta", text: "b" }),
      stop(0),
    ]);
  });

  it("give an empty object to a call without arguments, ended or not", () => {
    const empty = [start(0, toolUse("a")), delta(0, { type: "input_json_delta", partial_json: "{}" }), stop(0)];
    expect(inside(encode([call("a"), end("a")]))).toEqual(empty);
    expect(inside(encode([call("a")]))).toEqual(empty);
  });

  it("hold back text while a call is streamed, so that no two blocks are open at once", () => {
    const events = [call("a"), input("a", "{"), text("so"), input("a", "}"), text(" be it"), end("a"), text(".")];
    expect(inside(encode(events))).toEqual([
      start(0, toolUse("a")),
      delta(0, { type: "input_json_delta", partial_json: "{" }),
      delta(0, { type: "input_json_delta", partial_json: "}" }),
      stop(0),
      start(1, textBlock),
      delta(1, { type: "text_delta", text: "so" }),
      delta(1, { type: "text_delta", text: " be it" }),
      delta(1, { type: "text_delta", text: "." }),
      stop(1),
    ]);
    const cutOff = inside(encode([call("a"), input("a", "{}"), text("late")]));
    expect(cutOff.slice(2)).toEqual([
      stop(0),
      start(1, textBlock),
      delta(1, { type: "text_delta", text: "late" }),
      stop(1),
    ]);
  });

  it("show no call that others run", () => {
    const events: TurnEvent[] = [
      { type: "call", id: "g", name: "search", runs: "gateway" },
      input("g", "{}"),
      end("g"),
      { type: "call-result", id: "g", summary: "s" },
    ];
    expect(inside(encode(events))).toEqual([]);
  });

  it.each<[TurnEvent[], object]>([
    [[{ type: "finish", reason: "stop" }], { stop_reason: "end_turn", stop_sequence: null, stop_details: null }],
    [
      [{ type: "finish", reason: "stop", stopSequence: "END" }],
      { stop_reason: "stop_sequence", stop_sequence: "END", stop_details: null },
    ],
    [[{ type: "finish", reason: "length" }], { stop_reason: "max_tokens", stop_sequence: null, stop_details: null }],
    [
      [{ type: "finish", reason: "filtered" }],
      {
        stop_reason: "refusal",
        stop_sequence: null,
        stop_details: { type: "refusal", category: null, explanation: null },
      },
    ],
    [[call("a"), end("a")], { stop_reason: "tool_use", stop_sequence: null, stop_details: null }],
    [[text("cut")], { stop_reason: "end_turn", stop_sequence: null, stop_details: null }],
  ])("say why they end: %j", (events, why) => {
    const [last, stopped] = parsed(encode(events)).slice(-2);
    expect(last.delta).toEqual({ ...why, container: null });
    expect(stopped).toEqual({ type: "message_stop" });
  });

  it("have usage in the end also when nobody knows it, marked as a guess", () => {
    const mark = ": x-curlew-usage: estimated\n\n";
    const guessed = encode([text("x".repeat(40))]);
    expect(parsed(guessed).at(-2).usage).toMatchObject({ input_tokens: 70, output_tokens: 10 });
    expect(guessed).toContain(mark);
    expect(encode([{ type: "usage", usage: { ...sampleUsage, estimated: true } }])).toContain(mark);
    expect(encode([{ type: "usage", usage: sampleUsage }])).not.toContain(mark);
  });

  it("never count less than nothing", () => {
    const cached = { ...sampleUsage, inputTokens: 10 };
    expect(parsed(encode([{ type: "usage", usage: cached }])).at(-2).usage).toMatchObject({ input_tokens: 0 });
  });

  it("begin once, with the first of them", () => {
    const out = new FrameText();
    const encoder = new MessagesStreamEncoder({ thinking: "none", inputTokens: 1 }, head, out);
    encoder.push([text("a")]);
    expect(parsed(out.take()).map(({ type }) => type)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
    ]);
    encoder.push([text("b")]);
    expect(out.take()).toBe(frames(delta(0, { type: "text_delta", text: "b" })));
  });
});
