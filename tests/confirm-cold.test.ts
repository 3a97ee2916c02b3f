import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chat, result, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

let system: WholeSystem;
let requests: number;
beforeEach(async () => {
  system = await startWholeSystem({}, { confirmCold: 100 });
  requests = 0;
});
afterEach(() => system.close());

const counted: typeof fetch = (...args) => {
  requests++;
  return fetch(...args);
};
const user = (content: string) => ({ role: "user" as const, content });
const assistant = (content: string) => ({ role: "assistant" as const, content });
/** A conversation of 500 tokens that this gateway has never seen. */
const fromElsewhere = [user("word ".repeat(200)), assistant("word ".repeat(200)), user("[[say hello]]")];

describe("a large cold turn gets one refusal that no official client repeats", () => {
  const openai = () => new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", fetch: counted });
  const anthropic = () => new Anthropic({ baseURL: system.url, apiKey: "unused", fetch: counted });

  it.each([
    ["Chat Completions", () => openai().chat.completions.create({ model: "auto", messages: fromElsewhere })],
    ["a chat stream", () => openai().chat.completions.create({ model: "auto", messages: fromElsewhere, stream: true })],
    ["Responses", () => openai().responses.create({ model: "auto", input: fromElsewhere })],
    ["Messages", () => anthropic().messages.create({ model: "auto", max_tokens: 100, messages: fromElsewhere })],
    [
      "a message stream",
      () => anthropic().messages.stream({ model: "auto", max_tokens: 9, messages: fromElsewhere }).done(),
    ],
  ])("in %s", async (_, ask) => {
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    if (!(error instanceof OpenAI.APIError || error instanceof Anthropic.APIError)) throw error;
    expect(error.status).toBe(428);
    expect(error.headers?.get("x-should-retry")).toBe("false");
    expect(error.headers?.get("x-curlew-breaker")).toBeNull();
    expect(JSON.stringify(error.error)).toContain('"code":"confirm_cold"');
    expect(JSON.stringify(error.error)).toContain('"type":"invalid_request_error"');
    expect(error.message).toContain("about 500 tokens");
    expect(requests).toBe(1);
    expect(system.simulator.stats().runs).toBe(0);
  });
});

it("leaves the run that waits as it is", async () => {
  const tools = [tool("weather")];
  const question = user(`${"word ".repeat(200)}[[call weather {}]] then [[say rainy]]`);
  const first = await chat(system.url, [question], { tools });
  const edited = user(`${"other ".repeat(200)}[[say fine]]`);
  const instead = [edited, first.message, user("Forget it. [[say fine]]")];
  await expect(chat(system.url, instead, { tools })).rejects.toMatchObject({ status: 428, code: "confirm_cold" });
  const answered = [question, first.message, result(first.calls[0], "rain")];
  const second = await chat(system.url, answered, { tools });
  expect(second).toMatchObject({ continuity: "warm" });
  expect(second.text).toContain("rainy");
  expect(system.simulator.stats().runs).toBe(1);
});

it("lets warm turns pass, however long the conversation is", async () => {
  const messages = [user(`${"word ".repeat(200)}[[say one]]`)];
  const first = await chat(system.url, messages);
  const next = await chat(system.url, [...messages, first.message, user("[[say two]]")]);
  expect(next).toMatchObject({ continuity: "warm", text: "two" });
});
