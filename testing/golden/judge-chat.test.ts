import { describe, expect, it } from "vitest";
import { judgeChatReply, judgeChatStream } from "./judge-chat.js";
import { judgeOpenAiError } from "./judge-openai-error.js";
import { RuleBroken } from "./rule.js";
import { add, readGolden, repeat, replace, type Tamper, without } from "./tamper.js";

const failure = '{"error":{"message":"Broken.","type":"api_error","code":"upstream_error","param":null,"status":502}}';

const faults: readonly [fault: string, tamper: Tamper, rule: RegExp][] = [
  ["no [DONE]", without("[DONE]"), /neither \[DONE\] nor an error/],
  ["no finish_reason", without('"finish_reason":"'), /usage comes once, behind the finish/],
  ["neither finish_reason nor usage", (events) => [...events.slice(0, 3), ...events.slice(-1)], /without a finish/],
  ["a finish of stop with calls", replace('"tool_calls"}', '"stop"}'), /finish_reason is stop with 2 calls/],
  ["two finishes", repeat('"finish_reason":"'), /a choice behind the finish/],
  ["no role", replace('"role":"assistant",', ""), /the first delta alone has the role/],
  ["a role in every delta", replace('"delta":{', '"delta":{"role":"assistant",'), /role/],
  ["no id", replace(/"id":"chatcmpl-\d",/, ""), /id: Invalid input/],
  ["another id in one chunk", replace("chatcmpl-1", "chatcmpl-9", 1), /id, time and model are the same/],
  ["no usage chunk", without('"choices":[]'), /without usage/],
  ["usage in two chunks", repeat('"choices":[]'), /usage comes once/],
  ["a total that is no sum", replace(/"total_tokens":\d+/, '"total_tokens":1'), /total_tokens is the sum/],
  [
    "an answer for nothing",
    replace(/(\d+),"completion_tokens":\d+,"total_tokens":\d+/, '$1,"completion_tokens":0,"total_tokens":$1'),
    /costs output tokens/,
  ],
  ["no usage field in other chunks", replace(',"usage":null', ""), /usage: Invalid input/],
  ["a call without type", replace('"type":"function",', ""), /tool_calls.0/],
  ["a call without id", replace(/"id":"call_\d",/, ""), /tool_calls.0/],
  ["a call without index", replace(/("tool_calls":\[\{)"index":\d,/, "$1"), /tool_calls.0/],
  ["a call whose first delta has no arguments", replace(',"arguments":""', ""), /tool_calls.0/],
  [
    "id and type with the arguments again",
    replace('"index":0,"function"', '"index":0,"id":"call_2","type":"function","function"'),
    /tool_calls.0/,
  ],
  ["two calls of one id", replace("call_3", "call_2"), /ids of their own/],
  ["calls that do not count up", replace('{"index":1,', '{"index":2,'), /counted from 0 without gaps/],
  ["arguments for an older call", replace('{"index":1,"function"', '{"index":0,"function"'), /the newest call/],
  ["arguments that are cut off", replace('Bonn\\"}', "Bonn"), /no JSON object/],
  ["a number for a text", replace('"content":""', '"content":5'), /content: Invalid input/],
  ["a field that nobody knows", replace('"index":0,"delta"', '"index":0,"user":null,"delta"'), /Unrecognized key/],
  ["an event name", (events) => events.map(({ data }) => ({ event: "chunk", data })), /no event name/],
  ["an error behind [DONE]", add(failure), /behind the end/],
  ["an error behind the finish", (events) => add(failure)(events.slice(0, -2)), /an error behind the finish/],
  ["a chunk behind an error", (events) => [...add(failure)(events.slice(0, 2)), ...events.slice(2)], /behind the end/],
  ["an error without a message", (events) => add('{"error":{"type":"x"}}')(events.slice(0, 2)), /message/],
];

describe("the judge of chat streams", () => {
  const good = readGolden("chat", "parallel-tools");

  it("lets a good stream pass, and one that ends in an error", () => {
    expect(judgeChatStream(good)).toMatchObject({ ending: "calls" });
    expect(judgeChatStream(add(failure)(good.slice(0, 2)))).toMatchObject({ ending: "error" });
  });

  it.each(faults)("refuses %s", (_, tamper, words) => {
    const broken = tamper(good);
    expect(broken).not.toEqual(good);
    expect(() => judgeChatStream(broken)).toThrow(RuleBroken);
    expect(() => judgeChatStream(broken)).toThrow(words);
  });
});

describe("the judge of whole chat replies", () => {
  const usage = {
    prompt_tokens: 3,
    completion_tokens: 2,
    total_tokens: 5,
    prompt_tokens_details: { cached_tokens: 1 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
  const choice = {
    index: 0,
    message: { role: "assistant", content: "Hi.", refusal: null },
    logprobs: null,
    finish_reason: "stop",
  };
  const good = { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "auto", choices: [choice], usage };

  it("lets a good one pass", () => expect(judgeChatReply(good)).toMatchObject({ text: "Hi.", ending: "stop" }));

  it.each([
    ["no usage", { ...good, usage: undefined }],
    ["no choice", { ...good, choices: [] }],
    ["no content and no calls", { ...good, choices: [{ ...choice, message: { ...choice.message, content: null } }] }],
    ["no finish", { ...good, choices: [{ ...choice, finish_reason: null }] }],
    ["a finish of calls without calls", { ...good, choices: [{ ...choice, finish_reason: "tool_calls" }] }],
  ])("refuses %s", (_, broken) => expect(() => judgeChatReply(broken)).toThrow(RuleBroken));

  it("refuses an error that tells another status than the head", () => {
    expect(() => judgeOpenAiError(502, JSON.parse(failure))).not.toThrow();
    expect(() => judgeOpenAiError(500, JSON.parse(failure))).toThrow(RuleBroken);
  });
});
