import { describe, expect, it } from "vitest";
import { emptyStore } from "../../../../testing/clients/client-request.js";
import type { Message } from "../../turn/turn.js";
import { parseRequest } from "./parse.js";

const parse = (fields: object) => parseRequest({ body: { model: "auto", ...fields }, store: emptyStore });
const turnOf = (fields: object) => parse(fields).turn;
const text = (words: string) => ({ type: "text", text: words }) as const;
const summary = (words: string) => ({ type: "summary_text", text: words });
const said = (content: unknown) => ({ role: "user", content });
const user = (words: string): Message => ({ role: "user", content: [text(words)] });
const answer = (...content: Extract<Message, { role: "assistant" }>["content"]): Message => ({
  role: "assistant",
  content,
});
const png = "data:image/png;base64,iVBORw0KGgo=";
const image = { type: "image", mimeType: "image/png", data: Buffer.from("iVBORw0KGgo=", "base64") };

describe("the input of a request", () => {
  it("may be only system text: its last part is answered, except in a warm-up", () => {
    const input = ["be kind", "say hi"].map((content) => ({ role: "developer", content }));
    expect(turnOf({ input, instructions: "Be brief." })).toMatchObject({
      system: "Be brief.\n\nbe kind",
      messages: [user("say hi")],
    });
    const body = { model: "auto", input, instructions: "Be brief.", generate: false };
    const { turn } = parseRequest({ body, store: { ...emptyStore, connection: emptyStore.lasting } });
    expect(turn).toMatchObject({ system: "Be brief.\n\nbe kind\n\nsay hi", messages: [] });
  });

  it("may be a text", () => {
    expect(parse({ input: "hi" })).toMatchObject({
      turn: { model: "auto", system: "", messages: [user("hi")], tools: [], toolChoice: { type: "auto" } },
      wantsStream: false,
    });
  });

  it.each<[string, object[], readonly Message[]]>([
    [
      "messages with and without their type, in text or parts",
      [
        said("a"),
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "b", annotations: [] }] },
        said([{ type: "input_text", text: "c" }, text("d")]),
      ],
      [user("a"), answer(text("b")), { role: "user", content: [text("c"), text("d")] }],
    ],
    [
      "a refusal as text",
      [said("a"), { role: "assistant", content: [{ type: "refusal", refusal: "No." }] }],
      [user("a"), answer(text("No."))],
    ],
    [
      "reasoning, text, calls and results in one exchange",
      [
        said("a"),
        { type: "reasoning", id: "rs_1", summary: [summary("hm")], encrypted_content: "sig" },
        { role: "assistant", content: "let me see" },
        { type: "function_call", id: "fc_1", call_id: "c1", name: "ls", arguments: '{"a":1}' },
        { type: "custom_tool_call", call_id: "c2", name: "patch", input: 'x "y"' },
        { type: "function_call_output", call_id: "c1", output: "out" },
        { type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: "done" }] },
      ],
      [
        user("a"),
        answer(
          { type: "thinking", text: "hm", signature: "sig" },
          text("let me see"),
          { type: "call", id: "c1", name: "ls", input: '{"a":1}' },
          { type: "call", id: "c2", name: "patch", input: '{"input":"x \\"y\\""}' },
        ),
        {
          role: "tool",
          results: [
            { callId: "c1", content: [text("out")], isError: false },
            { callId: "c2", content: [text("done")], isError: false },
          ],
        },
      ],
    ],
    [
      "a call without arguments",
      [said("a"), { type: "function_call", call_id: "c1", name: "ls", arguments: "" }],
      [user("a"), answer({ type: "call", id: "c1", name: "ls", input: "{}" })],
    ],
    [
      "the whole reasoning rather than its summary, and nothing for an empty one",
      [
        said("a"),
        { type: "reasoning", summary: [summary("short")], content: [text("one"), text("two")] },
        { type: "reasoning", summary: [], encrypted_content: "sig" },
      ],
      [user("a"), answer({ type: "thinking", text: "one\n\ntwo" })],
    ],
    [
      "reasoning under our own mark, which does not go upstream",
      [said("a"), { type: "reasoning", summary: [summary("hm")], encrypted_content: "curlew.abc" }],
      [user("a"), answer({ type: "thinking", text: "hm" })],
    ],
  ])("may be items: %s", (_, input, messages) => {
    const turn = turnOf({ input });
    expect([turn.messages, turn.warnings]).toEqual([messages, []]);
  });

  it("may hold images and files, even in results", () => {
    const parts = [
      { type: "input_image", image_url: png, detail: "auto" },
      { type: "input_image", image_url: "https://example.org/a.png" },
      { type: "image_url", image_url: { url: png } },
      { type: "input_file", filename: "a.txt", file_data: `data:text/plain;base64,${btoa("Hello")}` },
      { type: "input_file", filename: "b.pdf", file_url: "https://example.org/b.pdf" },
    ];
    const { messages } = turnOf({
      input: [
        { role: "user", content: parts },
        { type: "function_call", call_id: "c1", name: "view", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: parts.slice(0, 1) },
      ],
    });
    expect(messages[0]?.role === "user" && messages[0].content).toMatchObject([
      image,
      { type: "remote-image", url: "https://example.org/a.png" },
      image,
      { type: "text", text: expect.stringContaining("Hello") },
      { type: "remote-pdf", name: "b.pdf", url: "https://example.org/b.pdf" },
    ]);
    expect(messages[2]).toMatchObject({ role: "tool", results: [{ callId: "c1", content: [image] }] });
  });

  it("has the instructions before other system text, whatever its role", () => {
    const { system, messages } = turnOf({
      instructions: "One.",
      input: [
        { role: "developer", content: [{ type: "input_text", text: "Two." }] },
        { role: "system", content: "Three." },
        { role: "user", content: "hi" },
        { role: "developer", content: "Four." },
      ],
    });
    expect(system).toBe("One.\n\nTwo.\n\nThree.");
    expect(JSON.stringify(messages)).toContain("<system-reminder>\\nFour.");
  });

  it("leaves out unsupported items, with a warning", () => {
    const { messages, warnings } = turnOf({
      input: [
        { role: "user", content: [{ type: "input_text", text: "hi" }, { type: "hologram" }] },
        { type: "web_search_call", id: "ws_1", status: "completed" },
        { type: "code_interpreter_call", id: "ci_1" },
        { type: "item_reference", id: "msg_gone_0" },
        { id: "rs_gone_1" },
      ],
    });
    expect(messages).toEqual([user("hi")]);
    expect(warnings).toEqual([
      "Input of these types is not supported and was left out: hologram, web_search_call, code_interpreter_call.",
      "2 items that the input refers to are not stored here and were left out.",
    ]);
  });
});

describe("the options of a request", () => {
  it.each<[object, object]>([
    [{ max_output_tokens: 100 }, { maxTokens: 100 }],
    [{ reasoning: { effort: "high", summary: "auto" } }, { effort: "high" }],
    [{ text: {} }, {}],
    [{ text: { format: { type: "text" }, verbosity: "medium" } }, {}],
    [{ text: { format: { type: "json_object" } } }, { format: { type: "json" } }],
    [
      { text: { format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true } } },
      { format: { type: "json-schema", name: "n", schema: { type: "object" }, param: "text.format.schema" } },
    ],
    [{ parallel_tool_calls: false }, { parallelToolCalls: false }],
  ])("%j become options of the turn", (fields, options) => {
    expect(turnOf({ input: "hi", ...fields })).toEqual({
      ...turnOf({ input: "hi" }),
      ...options,
      asReturned: expect.any(Function),
    });
  });

  it("cause a warning only if they are ignored", () => {
    expect(
      turnOf({
        input: "hi",
        temperature: 0.2,
        top_p: 0.5,
        top_logprobs: 3,
        include: ["message.output_text.logprobs"],
        max_tool_calls: 3,
        service_tier: "flex",
        text: { verbosity: "low" },
        context_management: [{ type: "compaction" }],
      }).warnings,
    ).toEqual([
      "Not supported here and ignored: temperature, top_p, top_logprobs, message.output_text.logprobs, max_tool_calls, context_management, text.verbosity, service_tier.",
    ]);
    const silent = {
      temperature: 1,
      top_p: 1,
      top_logprobs: 0,
      service_tier: "auto",
      truncation: "auto",
      x: "unknown",
    };
    expect(turnOf({ input: "hi", ...silent, stream_options: { include_obfuscation: false } }).warnings).toEqual([]);
  });

  it("request a background response, except on a WebSocket", () => {
    expect(parse({ input: "hi", background: true })).toMatchObject({ isBackground: true });
    const body = { model: "auto", input: "hi", background: true };
    const onSocket = () => parseRequest({ body, store: { ...emptyStore, connection: emptyStore.lasting } });
    const refused = { code: "unsupported_parameter", param: "background" };
    expect(onSocket).toThrowError(expect.objectContaining(refused));
  });

  const saying = (part: object) => ({ input: [{ role: "user", content: [part] }] });
  it.each<[string, object, param: string, code?: string]>([
    ["background without storage", { background: true, store: false }, "background"],
    ["a conversation without an id", { conversation: {} }, "conversation.id"],
    ["prompt", { prompt: { id: "pmpt_1" } }, "prompt", "unsupported_parameter"],
    ["previous_response_id", { previous_response_id: "resp_gone" }, "previous_response_id", "response_not_found"],
    ["no input", { input: [] }, "input", "missing_messages"],
    ["no input and generate: false", { input: [], generate: false }, "input", "missing_messages"],
    ["only instructions", { input: undefined, instructions: "Be kind." }, "input", "missing_messages"],
    ["a number as input", { input: 5 }, "input"],
    ["an invalid item", { input: [5] }, "input[0]"],
    ["an invalid role", { input: [{ role: "robot", content: "x" }] }, "input[0].role"],
    ["a message without content", { input: [{ role: "user" }] }, "input[0].content"],
    ["a part without its text", saying({ type: "input_text" }), "input[0].content[0].text"],
    ["a broken image", saying({ type: "input_image", image_url: "nonsense" }), "input[0].content[0]"],
    ["an uploaded image", saying({ type: "input_image", file_id: "file_1" }), "input[0].content[0]"],
    ["audio", saying({ type: "input_audio", input_audio: {} }), "input[0].content[0]"],
    ["a call without a name", { input: [{ type: "function_call", call_id: "c" }] }, "input[0].name"],
    ["a result without output", { input: [{ type: "function_call_output", call_id: "c" }] }, "input[0].output"],
    ["a tool without a name", { tools: [{ type: "function" }] }, "tools[0].name"],
    [
      "a tool without a name in a namespace",
      { tools: [{ type: "namespace", name: "n", tools: [{ type: "custom" }] }] },
      "tools[0].tools[0].name",
    ],
    ["an invalid choice", { tool_choice: "perhaps" }, "tool_choice"],
    ["a limit of zero", { max_output_tokens: 0 }, "max_output_tokens"],
    ["an invalid format", { text: { format: { type: "xml" } } }, "text.format.type"],
    ["a format without a schema", { text: { format: { type: "json_schema" } } }, "text.format.schema"],
  ])("are refused: %s", (_, fields, param, code = "invalid_request") => {
    expect(() => parse({ input: "hi", ...fields })).toThrowError(expect.objectContaining({ code, param }));
  });
});
