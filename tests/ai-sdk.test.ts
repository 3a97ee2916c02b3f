import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, type LanguageModel, type ModelMessage, Output, stepCountIs, streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());

const apiKey = "unused";
const backends: { name: string; modelAt: (baseURL: string) => LanguageModel }[] = [
  { name: "Chat Completions", modelAt: (baseURL) => createOpenAI({ baseURL, apiKey }).chat("auto") },
  {
    name: "a compatible server",
    modelAt: (baseURL) =>
      createOpenAICompatible({ name: "curlew", baseURL, includeUsage: true, supportsStructuredOutputs: true })("auto"),
  },
  { name: "Responses", modelAt: (baseURL) => createOpenAI({ baseURL, apiKey }).responses("auto") },
  { name: "Messages", modelAt: (baseURL) => createAnthropic({ baseURL, apiKey })("auto") },
];

const user = (content: string): ModelMessage => ({ role: "user", content });

describe.each(backends)("Vercel's ai through $name", ({ modelAt }) => {
  const modelOf = () => modelAt(`${system.url}/v1`);

  it("runs tools over several steps of one run, and the next turn continues warm", async () => {
    const cities: string[] = [];
    const tools = {
      weather: tool({
        description: "The weather of a city.",
        inputSchema: z.object({ city: z.string() }),
        execute: async ({ city }) => {
          cities.push(city);
          return { sky: `rain in ${city}` };
        },
      }),
    };
    const messages = [
      user(
        '[[call weather {"city":"Kiel"}]] [[call weather {"city":"Bonn"}]] then [[call weather {"city":"Ulm"}]] then [[say Bring a coat.]]',
      ),
    ];
    const settings = { model: modelOf(), tools, stopWhen: stepCountIs(5), maxRetries: 0 };
    const stream = streamText({ ...settings, messages });
    let text = "";
    for await (const delta of stream.textStream) text += delta;
    expect(text).toContain("rain in Ulm");
    expect(text).toContain("Bring a coat.");
    expect(cities).toEqual(["Kiel", "Bonn", "Ulm"]);
    expect(await stream.steps).toHaveLength(3);
    expect(system.simulator.stats()).toMatchObject({ runs: 1, conversations: 1 });

    const { messages: replies } = await stream.response;
    const next = await generateText({ ...settings, messages: [...messages, ...replies, user("[[say Goodbye.]]")] });
    expect(next.text).toBe("Goodbye.");
    expect(next.response.headers?.["x-curlew-continuity"]).toBe("warm");
    expect(system.simulator.stats()).toMatchObject({ runs: 2, conversations: 1 });
  });

  it("gets an object by its schema, whole and streamed, one run each", async () => {
    // Through Messages, the package does not know the model and forces its own tool.
    await expectPoints({ model: modelOf(), prompt: "Where is it?" });
  });
});

it("Vercel's ai sends Messages the schema for a model that it knows to support it", async () => {
  const model = createAnthropic({ baseURL: `${system.url}/v1`, apiKey })("claude-sonnet-4-5");
  await expectPoints({ model, prompt: "Where is it?" });
});

async function expectPoints(question: { model: LanguageModel; prompt: string }): Promise<void> {
  const output = Output.object({ schema: z.object({ x: z.number(), label: z.string() }), name: "point" });
  const ask = { ...question, output, maxRetries: 0 };
  const fitting = { x: expect.any(Number), label: expect.any(String) };
  expect((await generateText(ask)).output).toEqual(fitting);
  expect(await streamText(ask).output).toEqual(fitting);
  expect(system.simulator.stats().runs).toBe(2);
}
