import { describe, expect, it } from "vitest";
import { judgeMessagesError, judgeMessagesReply, judgeMessagesStream } from "./judge-messages.js";
import { RuleBroken } from "./rule.js";
import { add, readGolden, repeat, replace, set, type Tamper, unnamed, without } from "./tamper.js";

const failure =
  '{"type":"error","error":{"type":"overloaded_error","message":"Busy.","code":"overloaded"},"request_id":"1"}';
const addFailure = add(failure, "error");

/** The position in a stream of thinking and text. */
const faults: readonly [fault: string, tamper: Tamper, rule: RegExp][] = [
  ["no message_start", without("message_start"), /message_start comes first/],
  ["two of them", repeat("message_start"), /message_start comes first, and once/],
  ["no message_stop", without("message_stop"), /neither message_stop nor an error/],
  ["no message_delta", without("message_delta"), /message_stop without message_delta/],
  ["two of them", repeat("message_delta"), /message_delta comes once/],
  ["no content_block_stop", without("content_block_stop"), /one block is open at a time/],
  ["no content_block_stop at the end", without('"content_block_stop","index":1'), /while a block is open/],
  ["no content_block_start", without("content_block_start"), /no block is open/],
  ["blocks that do not count up", replace('"index":1', '"index":2'), /counted from 0 without gaps/],
  ["a delta for another block", replace('"index":1,"delta"', '"index":0,"delta"'), /that of the open block/],
  [
    "a delta of another kind",
    replace(/text_delta","text/, 'input_json_delta","partial_json'),
    /in a block of type text/,
  ],
  ["no usage at the start", replace(/("stop_reason":null,.*),"usage":.*/, "$1}}"), /message.usage/],
  ["no usage at the end", set("message_delta", "usage", undefined), /usage/],
  ["an answer for nothing", replace('"output_tokens":34', '"output_tokens":0'), /costs output tokens/],
  ["no event names", unnamed, /is named undefined/],
  ["no signature", without("signature_delta"), /without a signature/],
  ["thinking behind its signature", repeat("thinking_delta", "at the end"), /behind the end/],
  ["a text block without text", without("text_delta"), /without text/],
  ["no stop reason", replace('"stop_reason":"end_turn"', '"stop_reason":null'), /stop_reason/],
  ["a stop for tools without any", replace('"end_turn"', '"tool_use"'), /stop_reason is tool_use with 0 calls/],
  ["a stop for a sequence that is not named", replace('"end_turn"', '"stop_sequence"'), /goes with its reason/],
  ["a refusal without details", replace('"end_turn"', '"refusal"'), /stop_details go with a refusal/],
  ["a block behind message_delta", repeat("content_block_start", "at the end"), /behind the end/],
  ["an error behind the end", addFailure, /error behind the end/],
  ["an error behind the stop reason", (events) => addFailure(events.slice(0, -1)), /behind the stop reason/],
  [
    "an error without a request id",
    (events) => replace(',"request_id":"1"', "")(addFailure(events.slice(0, 3))),
    /request_id/,
  ],
];

/** The position in a stream of two calls. */
const callFaults: typeof faults = [
  ["a stop reason of end_turn", replace('"tool_use","stop_s', '"end_turn","stop_s'), /is end_turn with 2 calls/],
  ["a call without input", replace(',"input":{}', ""), /input/],
  ["a call that begins with its input", replace('"input":{}', '"input":{"city":"Kiel"}'), /a block begins empty/],
  ["arguments that are cut off", replace('Bonn\\"}', "Bonn"), /no JSON object/],
  ["two calls of one id", replace("call_3", "call_2"), /ids of their own/],
  ["a call without id", replace(/"id":"call_3",/, ""), /content_block.id/],
];

describe("the judge of messages streams", () => {
  const spoken = readGolden("messages", "thinking");
  const called = readGolden("messages", "parallel-tools");

  it("lets good streams pass, and one that ends in an error", () => {
    expect(judgeMessagesStream(spoken)).toMatchObject({ text: "It is 42.", ending: "stop" });
    expect(judgeMessagesStream(called)).toMatchObject({ ending: "calls" });
    expect(judgeMessagesStream(addFailure(spoken.slice(0, 5)))).toMatchObject({ ending: "error" });
  });

  it.each([
    ...faults.map((fault) => [...fault, spoken] as const),
    ...callFaults.map((fault) => [...fault, called] as const),
  ])("refuses %s", (_, tamper, words, good) => {
    const broken = tamper(good);
    expect(broken).not.toEqual(good);
    expect(() => judgeMessagesStream(broken)).toThrow(RuleBroken);
    expect(() => judgeMessagesStream(broken)).toThrow(words);
  });
});

describe("the judge of whole messages", () => {
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 1,
    output_tokens: 2,
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: null,
    cache_creation: null,
    inference_geo: null,
    service_tier: null,
    speed: null,
  };
  const good = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "auto",
    content: [{ type: "text", text: "Hi.", citations: [] }],
    stop_reason: "end_turn",
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage,
  };

  it("lets a good one pass", () => expect(judgeMessagesReply(good)).toMatchObject({ text: "Hi.", ending: "stop" }));

  it.each([
    ["no usage", { ...good, usage: undefined }],
    ["no stop reason", { ...good, stop_reason: null }],
    ["an empty block", { ...good, content: [{ type: "text", text: "", citations: [] }] }],
    ["thinking without a signature", { ...good, content: [{ type: "thinking", thinking: "hm", signature: "" }] }],
    ["a stop for tools without any", { ...good, stop_reason: "tool_use" }],
  ])("refuses %s", (_, broken) => expect(() => judgeMessagesReply(broken)).toThrow(RuleBroken));

  it("refuses an error in another form", () => {
    expect(() => judgeMessagesError(529, JSON.parse(failure))).not.toThrow();
    expect(() => judgeMessagesError(200, JSON.parse(failure))).toThrow(RuleBroken);
    expect(() => judgeMessagesError(529, { error: { message: "Busy." } })).toThrow(RuleBroken);
  });
});
