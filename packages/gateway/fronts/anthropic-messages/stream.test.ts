import { describe, expect, it } from "vitest";
import { parseSse } from "../../../../testing/clients/parse-sse.js";
import {
  beginCall,
  call,
  callInput,
  counted,
  endCall,
  finished,
  oddTexts,
  ownCall,
  said,
  thought,
} from "../../../../testing/samples/sample-events.js";
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
const toolUse = (id: string, name = "bash") => ({ type: "tool_use", id, name, input: {}, caller: { type: "direct" } });
const textBlock = { type: "text", text: "", citations: [] };
const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
const delta = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
const stop = (index: number) => ({ type: "content_block_stop", index });

describe("the events of a stream", () => {
  it.each(oddTexts)("are byte for byte the plain JSON of each event: %j", (odd) => {
    const events = [thought(odd, odd), said(odd), said(odd), ...call(odd, odd, odd), counted(), finished("tool-calls")];
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
      context_management: null,
      diagnostics: null,
      usage: {
        input_tokens: 70,
        ...zeros,
        output_tokens: 0,
        output_tokens_details: { thinking_tokens: 0 },
        server_tool_use: null,
        iterations: null,
        fallback_credit: null,
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
            iterations: null,
            fallback_credit: null,
          },
          context_management: null,
        },
        { type: "message_stop" },
      ),
    );
  });

  it("sign thinking that came without a signature", () => {
    expect(inside(encode([thought("hm")]))).toContainEqual(
      delta(0, { type: "signature_delta", signature: OWN_SIGNATURE }),
    );
    const blocks = inside(encode([thought("a", "of a"), said("b"), thought("c")]));
    const signatures = blocks.flatMap(({ delta }) => (delta?.type === "signature_delta" ? [delta.signature] : []));
    expect(signatures).toEqual(["of a", OWN_SIGNATURE]);
    expect(OWN_SIGNATURE).toMatch(/^[A-Za-z0-9+/]+=*$/);
  });

  it("show thinking without its text if the client wants that", () => {
    expect(inside(encode([thought("secret "), thought("plan"), said("a")], "omitted")).slice(0, 4)).toEqual([
      start(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "signature_delta", signature: OWN_SIGNATURE }),
      stop(0),
      start(1, textBlock),
    ]);
  });

  it("do not show thinking to a client that did not ask for it", () => {
    expect(inside(encode([said("a"), thought("secret"), said("b")], "none"))).toEqual([
      start(0, textBlock),
      delta(0, { type: "text_delta", text: "a" }),
      delta(0, { type: "text_delta", text: "b" }),
      stop(0),
    ]);
  });

  it("complete a call without arguments with an empty object, ended or not", () => {
    const empty = [start(0, toolUse("a")), delta(0, { type: "input_json_delta", partial_json: "{}" }), stop(0)];
    expect(inside(encode(call("a", "bash")))).toEqual(empty);
    expect(inside(encode([beginCall("a", "bash")]))).toEqual(empty);
  });

  it("hold back text while a call is streamed, so that only one block is open at a time", () => {
    const [begin, open, shut] = [beginCall("a", "bash"), callInput("a", "{"), callInput("a", "}")];
    expect(inside(encode([begin, open, said("so"), shut, said(" be it"), endCall("a"), said(".")]))).toEqual([
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
    const cutOff = inside(encode([begin, callInput("a", "{}"), said("late")]));
    expect(cutOff.slice(2)).toEqual([
      stop(0),
      start(1, textBlock),
      delta(1, { type: "text_delta", text: "late" }),
      stop(1),
    ]);
  });

  it("omit calls that the client does not run", () => {
    expect(inside(encode(ownCall))).toEqual([]);
  });

  it.each<[TurnEvent[], object]>([
    [[finished()], { stop_reason: "end_turn" }],
    [[{ type: "finish", reason: "stop", stopSequence: "END" }], { stop_reason: "stop_sequence", stop_sequence: "END" }],
    [[finished("length")], { stop_reason: "max_tokens" }],
    [
      [finished("filtered")],
      { stop_reason: "refusal", stop_details: { type: "refusal", category: null, explanation: null } },
    ],
    [call("a", "bash"), { stop_reason: "tool_use" }],
    [[said("cut")], { stop_reason: "end_turn" }],
  ])("end with the stop reason: %j", (events, why) => {
    const [last, stopped] = parsed(encode(events)).slice(-2);
    expect(last.delta).toEqual({ stop_sequence: null, stop_details: null, ...why, container: null });
    expect(stopped).toEqual({ type: "message_stop" });
  });

  it("end with estimated usage, marked as such, when it is unknown", () => {
    const mark = ": x-curlew-usage: estimated\n\n";
    const guessed = encode([said("x".repeat(40))]);
    expect(parsed(guessed).at(-2).usage).toMatchObject({ input_tokens: 70, output_tokens: 10 });
    expect(guessed).toContain(mark);
    expect(encode([counted({ estimated: true })])).toContain(mark);
    expect(encode([counted()])).not.toContain(mark);
  });

  it("never have negative counts", () => {
    expect(parsed(encode([counted({ inputTokens: 10 })])).at(-2).usage).toMatchObject({ input_tokens: 0 });
  });

  it("begin once, with the first event", () => {
    const out = new FrameText();
    const encoder = new MessagesStreamEncoder({ thinking: "none", inputTokens: 1 }, head, out);
    encoder.push([said("a")]);
    expect(parsed(out.take()).map(({ type }) => type)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
    ]);
    encoder.push([said("b")]);
    expect(out.take()).toBe(frames(delta(0, { type: "text_delta", text: "b" })));
  });
});
