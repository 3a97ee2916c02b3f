import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { concat } from "@langchain/core/utils/stream";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());

const settings = { model: "auto", apiKey: "unused", maxRetries: 0 };
const backends = [
  {
    name: "Chat Completions",
    modelAt: (url: string) => new ChatOpenAI({ ...settings, configuration: { baseURL: `${url}/v1` } }),
  },
  {
    name: "Responses",
    modelAt: (url: string) =>
      new ChatOpenAI({ ...settings, useResponsesApi: true, configuration: { baseURL: `${url}/v1` } }),
  },
  {
    name: "Messages",
    modelAt: (url: string) => new ChatAnthropic({ ...settings, anthropicApiUrl: url }),
  },
];

const weather = tool(async ({ city }) => `rain in ${city}`, {
  name: "weather",
  description: "The weather of a city.",
  schema: z.object({ city: z.string() }),
});
const Point = z.object({ x: z.number(), label: z.string() });

describe.each(backends)("LangChain through $name", ({ modelAt }) => {
  it("gets a whole answer, with usage", async () => {
    const answer = await modelAt(system.url).invoke([
      new SystemMessage("Be a heron."),
      new HumanMessage("[[usage 1200 34 1000 0 7]] [[say Grüße, 🦆]]"),
    ]);
    expect(answer.text).toBe("Grüße, 🦆");
    expect(answer.usage_metadata).toMatchObject({ output_tokens: 34, input_token_details: { cache_read: 1000 } });
    expect(system.simulator.stats()).toMatchObject({ runs: 1, runsOpen: 0 });
  });

  it.each([false, true])("completes a tool round in one run (stream: %s)", async (isStreamed) => {
    const model = modelAt(system.url).bindTools([weather]);
    const ask = async (messages: BaseMessage[]) => {
      if (!isStreamed) return model.invoke(messages);
      let whole: AIMessageChunk | undefined;
      for await (const chunk of await model.stream(messages))
        whole = whole === undefined ? chunk : concat(whole, chunk);
      return whole ?? new AIMessageChunk("");
    };
    const messages: BaseMessage[] = [
      new HumanMessage('[[call weather {"city":"Kiel"}]] [[call weather {"city":"Bonn"}]] then [[say Bring a coat.]]'),
    ];
    const calling = await ask(messages);
    expect(calling.tool_calls).toMatchObject([
      { name: "weather", args: { city: "Kiel" } },
      { name: "weather", args: { city: "Bonn" } },
    ]);
    messages.push(calling);
    for (const call of calling.tool_calls ?? []) messages.push(await weather.invoke(call));
    const answer = await ask(messages);
    expect(answer.text).toContain("rain in Bonn");
    expect(answer.text).toContain("Bring a coat.");
    expect(system.simulator.stats()).toMatchObject({ runs: 1, conversations: 1, runsOpen: 0 });

    const next = await ask([...messages, answer, new HumanMessage("[[say Goodbye.]]")]);
    expect(next.text).toBe("Goodbye.");
    expect(system.simulator.stats()).toMatchObject({ runs: 2, conversations: 1 });
  });

  it("forces a tool for structured output", async () => {
    const model: BaseChatModel = modelAt(system.url);
    const structured = model.withStructuredOutput(Point, { name: "point", method: "functionCalling" });
    expect(await structured.invoke('[[call point {"x":1,"label":"here"}]]')).toEqual({ x: 1, label: "here" });
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("requests an answer by its schema", async () => {
    const model: BaseChatModel = modelAt(system.url);
    const structured = model.withStructuredOutput(Point, { name: "point", method: "jsonSchema" });
    expect(await structured.invoke("Where is it?")).toEqual({ x: expect.any(Number), label: expect.any(String) });
    expect(system.simulator.stats().runs).toBe(1);
  });
});
