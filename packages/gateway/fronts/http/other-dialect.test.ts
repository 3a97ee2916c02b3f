import { describe, expect, it } from "vitest";
import { askedServer } from "../../../../testing/gateway/asked-server.js";

const chat = "/v1/chat/completions";
const messages = "/v1/messages";
const responses = "/v1/responses";
const model = "auto";
const words = [{ role: "user", content: "hi" }];
const anthropicTools = [{ name: "look", input_schema: { type: "object" } }];
const used = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input: {} }] };
const openAiTools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const server = await askedServer();
  const response = await server.post(path, body, headers);
  const { error } = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: error?.message ?? "" };
}

const hints = {
  [chat]: "This looks like an OpenAI Chat Completions request: send it to POST /v1/chat/completions.",
  [messages]: "This looks like an Anthropic Messages request: send it to POST /v1/messages.",
  [responses]: "This looks like an OpenAI Responses request: send it to POST /v1/responses.",
  "/v1/completions": "This looks like an OpenAI Completions request: send it to POST /v1/completions.",
};

describe("the error for an unusable body of another dialect names its route", () => {
  it.each<[string, object, keyof typeof hints, string]>([
    [chat, { model, max_tokens: 9, messages: words, tools: anthropicTools }, messages, "`tools[0].function`"],
    [chat, { model, input: "hi" }, responses, "no messages"],
    [chat, { model, prompt: "Once" }, "/v1/completions", "no messages"],
    [messages, { model, messages: words }, chat, "Missing required field `max_tokens` (number)."],
    [messages, { model, max_tokens: 9, messages: [...words, { role: "tool", content: "5" }] }, chat, "messages[1]"],
    [messages, { model, input: "hi" }, responses, "Missing required field `max_tokens` (number)."],
    [responses, { model, messages: words }, chat, "no input to answer"],
    [responses, { model, max_tokens: 9, system: "Be brief.", messages: words }, messages, "no input to answer"],
    [responses, { model, max_tokens: 9, messages: [...words, used] }, messages, "no input to answer"],
    ["/v1/completions", { model, messages: words }, chat, "prompt"],
  ])("%s gets %j", async (path, body, meant, problem) => {
    const { status, message } = await post(path, body);
    expect(status).toBe(400);
    expect(message).toContain(problem);
    expect(message.endsWith(` ${hints[meant]}`)).toBe(true);
  });
});

describe("the error for an invalid body names no other route", () => {
  it.each<[string, object, Record<string, string>]>([
    [chat, { model, messages: words, temperature: "hot" }, {}],
    [chat, { model, messages: words, tools: openAiTools, thinking: {}, temperature: "hot" }, {}],
    [chat, { messages: words }, {}],
    [chat, { model, messages: [] }, {}],
    [messages, { messages: words }, {}],
    [messages, { model, messages: words }, { "anthropic-version": "2023-06-01" }],
    [messages, { model, max_tokens: 9, messages: words, temperature: "hot" }, {}],
    [responses, { model, input: "hi", temperature: "hot" }, {}],
    [responses, { model }, {}],
  ])("%s with %j %j", async (path, body, headers) => {
    const { status, message } = await post(path, body, headers);
    expect(status).toBe(400);
    expect(message).not.toContain("looks like");
  });
});

it("a usable body of another dialect is accepted", async () => {
  expect(await post(chat, { model, max_tokens: 9, system: "Be brief.", messages: words })).toMatchObject({
    status: 200,
  });
});
