import { describe, expect, it } from "vitest";
import type { SseEvent } from "../clients/parse-sse.js";
import { judgeResponsesReply, judgeResponsesStream } from "./judge-responses.js";
import { RuleBroken } from "./rule.js";
import { readGolden, repeat, replace, set, type Tamper, unnamed, without } from "./tamper.js";

type Fault = readonly [fault: string, tamper: Tamper, rule: RegExp];

/** Closes the gaps in the numbers after a change, so that the judge reaches the change itself. */
const renumber: Tamper = (events) =>
  events.map(({ event, data }, at) => ({
    event,
    data: data.replace(/"sequence_number":\d+/, `"sequence_number":${at}`),
  }));
const itemDone = "response.output_item.done";
const inputDetails = "response.usage.input_tokens_details";
const summary = { type: "summary_text", text: "Hm." };
const freeUsage = {
  input_tokens: 3,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 3,
};
const usage = { ...freeUsage, output_tokens: 1, total_tokens: 4 };

const faults: readonly Fault[] = [
  ["no response.created", without("response.created"), /in_progress instead of response.created/],
  ["no response.in_progress", without("response.in_progress"), /instead of response.in_progress/],
  ["no response.completed", without("response.completed"), /without a terminal event/],
  ["two of them", repeat("response.completed"), /behind the end/],
  ["no output_item.added", without("response.output_item.added"), /part.added instead of response.output_item.added/],
  ["no output_item.done", without(itemDone), /added instead of response.reasoning_summary_part.added or/],
  ["no deltas", without("delta"), /done instead of response.reasoning_summary_text.delta/],
  ["no text done", without("response.output_text.done"), /instead of response.output_text.delta or/],
  ["no part done", without("response.content_part.done"), /instead of response.content_part.done/],
  ["no part added", without("response.content_part.added"), /instead of response.content_part.added/],
  ["no event names", unnamed, /is named undefined/],
  ["no usage at the end", set("response.completed", "response.usage", null), /has usage/],
  ["usage at the start", set("response.created", "response.usage", usage), /null before it/],
  ["an answer for nothing", set("response.completed", "response.usage", freeUsage), /costs output tokens/],
  ["a total that is no sum", set("response.completed", "response.usage.total_tokens", 1), /total_tokens is the sum/],
  ["no cache_write_tokens", set("response.completed", `${inputDetails}.cache_write_tokens`, undefined), /cache_write/],
  ["no logprobs", set("response.output_text.delta", "logprobs", undefined), /logprobs/],
  ["a field too many", replace('"store":false', '"store":false,"user":null'), /Unrecognized key/],
  ["a field too few", set("response.completed", "response.truncation", undefined), /truncation/],
  ["an empty output at the end", set("response.completed", "response.output", []), /came item by item/],
  ["another id at the end", set("response.completed", "response.id", "resp_9"), /id, time and model/],
  ["another item id in a delta", set("response.output_text.delta", "item_id", "msg_9"), /belong to the open item/],
  ["another item id when it is done", set(itemDone, "item.id", "msg_9"), /as it was added/],
  ["items that do not count up", set("response.output_item.added", "output_index", 1), /items are counted/],
  ["parts that do not count up", set("response.content_part.added", "content_index", 1), /parts are counted/],
  ["a text that is not what its deltas said", set("response.output_text.done", "text", "43"), /a part is what/],
  ["an item that is not what its deltas said", set(itemDone, "item.summary.0.text", "Hm."), /an item is what/],
  ["an item that begins with its text", set("response.output_item.added", "item.summary", [summary]), /begins empty/],
  ["an item that is done in progress", set(itemDone, "item.status", "in_progress"), /not in progress/],
  ["a status that is not the event's", set("response.completed", "response.status", "failed"), /the status failed/],
  ["an end without a time", set("response.completed", "response.completed_at", null), /completed_at goes/],
  ["an end with an error", set("response.completed", "response.error", { code: "x", message: "y" }), /an error goes/],
  ["an end while an item is open", (events) => [...events.slice(0, 11), ...events.slice(-1)], /completed instead of/],
];

/** The position in a stream of two calls. */
const argumentsDone = "response.function_call_arguments.done";
const callFaults: readonly Fault[] = [
  ["no deltas of arguments", without("arguments.delta"), /instead of response.function_call_arguments.delta/],
  ["arguments that are not what the deltas said", set(argumentsDone, "arguments", "{}"), /a part is what/],
  ["no name with the arguments", set(argumentsDone, "name", undefined), /name/],
  ["another name with them", set(argumentsDone, "name", "time"), /keeps its name/],
  ["two calls of one id", replace(/call_5/g, "call_3"), /calls have ids of their own/],
  ["two items of one id", replace(/fc_4/g, "fc_2"), /items have ids of their own/],
  ["arguments that are cut off", replace(/Bonn\\"\}/g, "Bonn"), /no JSON object/],
];

function refuse(broken: readonly SseEvent[], good: readonly SseEvent[], words: RegExp): void {
  expect(broken).not.toEqual(good);
  expect(() => judgeResponsesStream(broken)).toThrow(RuleBroken);
  expect(() => judgeResponsesStream(broken)).toThrow(words);
}

describe("the judge of responses streams", () => {
  const spoken = readGolden("responses", "thinking");
  const called = readGolden("responses", "parallel-tools");

  it("lets good streams pass, and one that ends in a failure", () => {
    expect(judgeResponsesStream(spoken)).toMatchObject({ text: "It is 42.", ending: "stop" });
    expect(judgeResponsesStream(called)).toMatchObject({ ending: "calls" });
    expect(judgeResponsesStream(readGolden("responses", "error-after"))).toMatchObject({ ending: "error" });
  });

  it.each(faults)("refuses %s", (_, tamper, words) => refuse(renumber(tamper(spoken)), spoken, words));
  it.each(callFaults)("refuses %s", (_, tamper, words) => refuse(renumber(tamper(called)), called, words));

  it("refuses a gap in the numbers, and none at all", () => {
    refuse(without("output_text.delta")(spoken), spoken, /counts from 0 without gaps/);
    refuse(replace(/,"sequence_number":\d+/, "")(spoken), spoken, /sequence_number/);
  });

  it("refuses a failure that is not the last, or of another response", () => {
    const failed = readGolden("responses", "error-after");
    refuse(renumber([...failed, ...spoken.slice(-1)]), failed, /behind the end/);
    refuse([...failed.slice(0, -1), ...replace("resp_1", "resp_9")(failed.slice(-1))], failed, /id, time and model/);
    refuse(renumber(failed.slice(-1)), failed, /failed instead of response.created/);
  });
});

describe("the judge of whole responses", () => {
  const good: Record<string, unknown> = JSON.parse(readGolden("responses", "text").at(-1)?.data ?? "").response;

  it("lets a good one pass", () => expect(judgeResponsesReply(good)).toMatchObject({ ending: "stop" }));

  it.each([
    ["no usage", { ...good, usage: null }],
    ["no status", { ...good, status: undefined }],
    ["one that is still in progress", { ...good, status: "in_progress" }],
    ["a failed one without an error", { ...good, status: "failed", completed_at: null }],
    ["an incomplete one without details", { ...good, status: "incomplete", completed_at: null }],
  ])("refuses %s", (_, broken) => expect(() => judgeResponsesReply(broken)).toThrow(RuleBroken));
});
