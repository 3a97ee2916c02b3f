import { describe, expect, it } from "vitest";
import type { Turn } from "../../turn/turn.js";
import { parseRequest } from "./parse.js";

const hi = { role: "user", content: "hi" };
const pixelUrl = "data:image/png;base64,AQID";

function turnOf(fields: object): Turn {
  return parseRequest({ body: { model: "m", messages: [hi], ...fields } }).turn;
}

const refusing = (body: unknown) => expect(() => parseRequest({ body }));
const refusal = (code: string, param: string | undefined, words = "") =>
  expect.objectContaining({ code, param, message: expect.stringContaining(words) });

describe("a minimal request", () => {
  it("becomes a turn without warnings", () => {
    expect(parseRequest({ body: { model: "m", messages: [hi] } })).toEqual({
      turn: {
        model: "m",
        system: "",
        messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
        tools: [],
        toolChoice: { type: "auto" },
        parallelToolCalls: true,
        warnings: [],
      },
      wantsStream: false,
      request: { includeUsage: false, customTools: new Set(), usesFunctions: false },
    });
  });
});

describe("optional fields of a request", () => {
  const tools = [{ type: "function", function: { name: "a" } }];

  it("choose streaming and usage", () => {
    const parse = (fields: object) => {
      const { wantsStream, request } = parseRequest({ body: { model: "m", messages: [hi], ...fields } });
      return [wantsStream, request.includeUsage];
    };
    expect(parse({ stream: true, stream_options: { include_usage: true } })).toEqual([true, true]);
    expect(parse({ stream: true, stream_options: {} })).toEqual([true, false]);
    expect(parse({ stream: null, stream_options: null })).toEqual([false, false]);
  });

  it("pass the effort on unchanged", () => {
    expect(turnOf({ reasoning_effort: "xhigh" }).effort).toBe("xhigh");
    expect(turnOf({ reasoning_effort: null })).not.toHaveProperty("effort");
  });

  it("may be unknown anywhere, without a warning", () => {
    const turn = turnOf({
      messages: [{ role: "user", name: "me", content: [{ type: "text", text: "hi", x: 1 }], cache_control: {} }],
      user: "u",
      metadata: { a: "b" },
      prompt_cache_key: "k",
      safety_identifier: "s",
      something_new: [1],
    });
    expect(turn.warnings).toEqual([]);
  });

  it.each([
    ["temperature", { temperature: 0 }],
    ["top_p", { top_p: 0.5 }],
    ["seed", { seed: 0 }],
    ["presence_penalty", { presence_penalty: 1 }],
    ["frequency_penalty", { frequency_penalty: -1 }],
    ["logit_bias", { logit_bias: { "50256": -100 } }],
    ["verbosity", { verbosity: "low" }],
    ["prediction", { prediction: { type: "content", content: "x" } }],
    ["store", { store: true }],
    ["service_tier", { service_tier: "flex" }],
    ["web_search_options", { web_search_options: {} }],
  ])("cause a warning that %s is ignored: %j", (field, fields) => {
    expect(turnOf(fields).warnings).toEqual([`Not supported here and ignored: ${field}.`]);
  });

  it("are named in one warning if ignored", () => {
    expect(turnOf({ temperature: 0.2, seed: 7, verbosity: "low" }).warnings).toEqual([
      "Not supported here and ignored: temperature, seed, verbosity.",
    ]);
  });

  it.each([
    { temperature: 1, top_p: 1, n: 1, presence_penalty: 0, frequency_penalty: 0, logit_bias: {}, logprobs: false },
    { top_logprobs: 0, stop: [], response_format: { type: "text" }, verbosity: "medium", store: false },
    { service_tier: "auto", tools, tool_choice: "auto", parallel_tool_calls: true, modalities: ["text"] },
    { tool_choice: "required", parallel_tool_calls: false },
    { max_tokens: null, temperature: null, stop: null, seed: null, n: null, tools: null, tool_choice: null },
  ])("cause no warning if ignoring them makes no difference: %j", (fields) => {
    expect(turnOf(fields).warnings).toEqual([]);
  });
});

describe("the limits and the format of an answer", () => {
  it.each(["END", ["\n", "", "END"], ["1", "2", "3", "4", "5"]])("stops at %j", (stop) => {
    const texts = [stop].flat().filter((each) => each !== "");
    expect(turnOf({ stop })).toMatchObject({ stop: texts, warnings: [] });
  });

  it.each([null, "", [], [""]])("stops nowhere for %j", (stop) => {
    expect(turnOf({ stop })).not.toHaveProperty("stop");
  });

  it.each([
    [{ max_tokens: 32_000 }, 32_000],
    [{ max_completion_tokens: 1 }, 1],
    [{ max_tokens: 5, max_completion_tokens: 7 }, 7],
    [{ max_tokens: 5, max_completion_tokens: null }, 5],
    [{ max_tokens: null }, undefined],
  ])("takes %j as a limit of %s tokens", (fields, maxTokens) => {
    const { warnings, ...turn } = turnOf(fields);
    expect([turn.maxTokens, warnings]).toEqual([maxTokens, []]);
  });

  const schema = { type: "object", properties: { a: { type: "string" } }, $schema: "x" };
  const inSchema = (name: string) => ({ type: "json-schema", name, schema, param: "response_format" });

  it.each<[object | null, object | undefined]>([
    [null, undefined],
    [{ type: "text" }, undefined],
    [{ type: "json_object" }, { type: "json" }],
    [{ type: "json_schema", json_schema: { name: "point", strict: true, schema } }, inSchema("point")],
    [{ type: "json_schema", json_schema: { name: "point" } }, { type: "json" }],
    [{ type: "json_schema", schema }, inSchema("answer")],
    [{ type: "json_object", schema }, inSchema("answer")],
  ])("takes the format %j as %j", (response_format, format) => {
    const { warnings, ...turn } = turnOf({ response_format });
    expect([turn.format, warnings]).toEqual([format, []]);
  });
});

describe("a bad request", () => {
  const also = (fields: object) => ({ model: "m", messages: [hi], ...fields });
  const withMessage = (message: unknown) => ({ model: "m", messages: [hi, hi, message] });
  const withPart = (part: unknown, role = "user") =>
    withMessage({ role, tool_call_id: "c", content: ["", part].slice(1) });

  const withCall = (call: object) => withMessage({ role: "assistant", tool_calls: [call] });
  const message = "messages[2]";
  const part = `${message}.content[0]`;
  const image = (image_url: unknown) => withPart({ type: "image_url", image_url });
  const file = (fields: object) => withPart({ type: "file", file: fields });
  const formats = "must be one of text, json_object, json_schema";
  const roles = "must be one of system, developer, user, assistant, tool, function.";

  it.each<[string, unknown, param: string | undefined, words?: string]>([
    ["a body that is not an object", [], undefined, "body: must be an object"],
    ["no model", { messages: [hi] }, "model"],
    ["an empty model", { model: "", messages: [hi] }, "model", "model: must not be empty."],
    ["too long a model name", { model: "m".repeat(300), messages: [hi] }, "model", "at most 256 characters"],
    ["messages of another kind", { model: "m", messages: "hi" }, "messages", "messages: must be an array."],
    ["a message that is not an object", withMessage("hi"), message, "messages[2]: must be an object."],
    ["an unknown role", withMessage({ role: "narrator", content: "x" }), `${message}.role`, `role: ${roles}`],
    ["other content", withMessage({ role: "user", content: 5 }), `${message}.content`, "must be a string or an array"],
    ["a part that is not an object", withPart("x"), part, "must be an object"],
    ["an unknown part", withPart({ type: "video" }), `${part}.type`, "must be one of text, image_url"],
    ["a text part without text", withPart({ type: "text" }), `${part}.text`],
    [
      "a broken data URL",
      image({ url: "data:image/png;base64,%%%%" }),
      `${part}.image_url.url`,
      "holds broken base64.",
    ],
    ["a broken data URL as a bare string", image("nonsense"), `${part}.image_url`, "must be a data: URL"],
    ["an image without its URL", image({}), `${part}.image_url.url`],
    ["audio", withPart({ type: "input_audio", input_audio: {} }), part, "audio cannot be passed on"],
    ["a file", file({}), `${part}.file`, "must have file_data"],
    ["an uploaded file", file({ file_id: "file-1" }), `${part}.file`, "cannot be uploaded"],
    [
      "an image from the system",
      withPart({ type: "image_url", image_url: pixelUrl }, "system"),
      `${part}.type`,
      "text",
    ],
    ["a result without its call", withMessage({ role: "tool", content: "x" }), `${message}.tool_call_id`],
    ["a call without an id", withCall({ function: { name: "f", arguments: "{}" } }), `${message}.tool_calls[0].id`],
    ["a call without a function", withCall({ id: "c", type: "function" }), `${message}.tool_calls[0].function`],
    ["a tool without a name", also({ tools: [{ type: "function", function: {} }] }), "tools[0].function.name"],
    ["a function tool without a function", also({ tools: [{ type: "function" }] }), "tools[0].function"],
    ["a custom tool without a name", also({ tools: [{ type: "custom", custom: {} }] }), "tools[0].custom.name"],
    ["a limit of zero", also({ max_tokens: 0 }), "max_tokens", "max_tokens: must be 1 or more."],
    ["half a token", also({ max_completion_tokens: 1.5 }), "max_completion_tokens", ": must be a whole number."],
    ["another format", also({ response_format: { type: "yaml" } }), "response_format.type", formats],
    ["stops that are not text", also({ stop: [5] }), "stop[0]", "must be a string"],
    ["a temperature as text", also({ temperature: "hot" }), "temperature", "must be a number"],
    ["a stream flag as text", also({ stream: "yes" }), "stream", "must be true or false"],
  ])(
    "with %s is refused by the path of the field",
    (_, body, param, words = `Missing required field \`${param}\` (`) => {
      refusing(body).toThrowError(refusal("invalid_request", param, words));
      refusing(body).toThrowError(param ?? "body");
    },
  );

  it.each([
    ["n", { n: 2 }, "one request gives one choice"],
    ["logprobs", { logprobs: true, top_logprobs: 2 }, "probability"],
    ["top_logprobs", { top_logprobs: 2 }, "probability"],
    ["modalities", { modalities: ["text", "audio"] }, "answers are text"],
    ["audio", { audio: { voice: "alloy", format: "wav" } }, "answers are text"],
  ])("with %s is refused, as OpenAI does for models without it", (param, fields, words) => {
    refusing(also(fields)).toThrowError(refusal("unsupported_parameter", param, words));
  });

  it("does not quote the client's values", () => {
    const body = withMessage({ role: "my secret role", content: "my secret text" });
    refusing(body).toThrowError(expect.objectContaining({ message: expect.not.stringContaining("secret") }));
  });

  it.each([
    { model: "m" },
    { model: "m", messages: [] },
    { messages: null },
    { model: "m", messages: [{ role: "system", content: "" }] },
  ])("without messages is refused: %j", (body) => {
    refusing(body).toThrowError(refusal("missing_messages", "messages"));
  });

  it.each(["system", "developer"])("with only %s text has its last part answered", (role) => {
    const messages = ["be kind", "say hi"].map((content) => ({ role, content }));
    const asked = (text: string) => [{ role: "user", content: [{ type: "text", text }] }];
    expect(turnOf({ messages })).toMatchObject({ system: "be kind", messages: asked("say hi") });
    expect(turnOf({ messages: [...messages, hi] })).toMatchObject({
      system: "be kind\n\nsay hi",
      messages: asked("hi"),
    });
  });
});

// Code that looked at all earlier messages for each one would take minutes here and exceed the test's time limit.
it("accepts a very long history", () => {
  const messages = Array.from({ length: 200_000 }, (_, index) => ({
    role: "tool",
    tool_call_id: `c${index}`,
    content: [{ type: "text", text: "x" }],
  }));
  const [results] = turnOf({ messages }).messages;
  expect(results).toMatchObject({ role: "tool", results: { length: 200_000 } });
});
