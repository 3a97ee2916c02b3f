import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedServer, startScriptedServer } from "../../../testing/gateway/scripted-server.js";

const words = [{ role: "user", content: "hi" }];
const answered = [...words, { role: "assistant", content: "hello" }, { role: "user", content: "more" }];
const model = "auto";

let server: ScriptedServer;
beforeEach(async () => {
  server = await startScriptedServer({ steps: [[{ type: "finish", reason: "stop" }]] });
});
afterEach(() => server.close());

const ask = (body: unknown, { query = "", headers = {} }: { query?: string; headers?: Record<string, string> } = {}) =>
  fetch(`${server.url}/v1/curlew/forecast${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const chat = "/v1/chat/completions";
const messages = "/v1/messages";
const responses = "/v1/responses";
const tools = [{ name: "t", input_schema: { type: "object" } }];
const used = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "t", input: {} }] };

describe("the body of a request is recognised", () => {
  it.each([
    ["words", { model, messages: words }, chat],
    ["words with a limit, which are those of Anthropic as well", { model, messages: words, max_tokens: 9 }, chat],
    ["tools as functions", { model, messages: words, tools: [{ type: "function", function: { name: "t" } }] }, chat],
    ["a system prompt of its own", { model, messages: words, max_tokens: 9, system: "Be brief." }, messages],
    ["tools with an input_schema", { model, messages: words, max_tokens: 9, tools }, messages],
    ["a tool_use block", { model, messages: [...words, used, ...words], max_tokens: 9 }, messages],
    ["input", { model, input: "hi" }, responses],
    ["a list as input", { model, input: words }, responses],
    ["a prompt", { model, prompt: "Once" }, "/v1/completions"],
  ])("by %s", async (_, body, route) => {
    const response = await ask(body);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ object: "curlew.forecast", route, continuity: "cold:new" });
  });

  it("by the header of Anthropic's clients", async () => {
    const response = await ask({ model, messages: words, max_tokens: 9 }, { headers: { "anthropic-version": "1" } });
    expect(await response.json()).toMatchObject({ route: messages });
  });

  it.each(["/v1/messages", "/messages"])("by the route that the request names: %s", async (route) => {
    const response = await ask({ model, messages: words, max_tokens: 9 }, { query: `?route=${route}` });
    expect(await response.json()).toMatchObject({ route: messages });
  });
});

it("says that a conversation from elsewhere is cold, why, and what is sent again", async () => {
  expect(await (await ask({ model, messages: answered })).json()).toEqual({
    object: "curlew.forecast",
    route: chat,
    continuity: "cold:new",
    state: "cold",
    reason: "new",
    tokens_sent_again: 2,
    needs_confirmation: false,
  });
  expect(server.backend.exchanges).toEqual([]);
});

it("counts the folder of a request as part of its conversation, as the request itself does", async () => {
  const response = await ask({ model, messages: words }, { headers: { "x-curlew-workspace": "not absolute" } });
  expect(await response.json()).toMatchObject({ error: { code: "invalid_request", param: "x-curlew-workspace" } });
});

describe("a request that cannot be read", () => {
  it("is refused with the routes that there are, if it names none of them", async () => {
    const response = await ask({ model, messages: words }, { query: "?route=/v1/models" });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string; param: string } };
    expect(error.param).toBe("route");
    expect(error.message).toContain("/v1/chat/completions, /v1/completions, /v1/responses");
  });

  it("is refused in the form of its dialect", async () => {
    const openai = await ask({ model });
    expect(await openai.json()).toMatchObject({ error: { type: "invalid_request_error", param: "messages" } });
    const anthropic = await ask({ model, messages: words }, { headers: { "anthropic-version": "1" } });
    expect(await anthropic.json()).toMatchObject({ type: "error", error: { param: "max_tokens" } });
  });
});
