import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startWholeSystem } from "../../testing/gateway/whole-system.js";
import { npmFolder } from "../../testing/programs/npm-folder.js";
import { startedOnce } from "../../testing/started.js";

// LangChain's clients from npm, unmodified, doing what its own suite, which npm does not have, asks of every client. They are no
// dependencies, so their types are not here.
const PACKAGES = ["@langchain/core@1.2.13", "@langchain/openai@1.6.0", "@langchain/anthropic@1.5.11", "zod@4.6.7"];

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const system = startedOnce(() => startWholeSystem());
/** Runs at Cursor since the test began. Some tests leave calls open, so the counters are not reset. */
const runs = () => system.simulator.stats().runs - runsBefore;
let runsBefore = 0;
beforeEach(() => {
  runsBefore = system.simulator.stats().runs;
});

let langchain: ReturnType<typeof load>;
beforeAll(async () => {
  langchain = load(await npmFolder("langchain", PACKAGES));
});

function load(folder: string) {
  const loadFrom = createRequire(join(folder, "package.json"));
  return {
    ...loadFrom("@langchain/core/messages"),
    ...loadFrom("@langchain/core/runnables"),
    ...loadFrom("@langchain/core/tools"),
    ChatOpenAI: loadFrom("@langchain/openai").ChatOpenAI,
    ChatAnthropic: loadFrom("@langchain/anthropic").ChatAnthropic,
    concat: loadFrom("@langchain/core/utils/stream").concat,
    z: loadFrom("zod").z,
  };
}

const openAi = (more = {}) =>
  new langchain.ChatOpenAI({
    model: "auto",
    apiKey: "unused",
    maxRetries: 0,
    configuration: { baseURL: `${system.url}/v1` },
    ...more,
  });
const clients = [
  { client: "ChatOpenAI", open: openAi },
  { client: "ChatOpenAI with the Responses API", open: (more = {}) => openAi({ useResponsesApi: true, ...more }) },
  {
    client: "ChatAnthropic",
    open: (more = {}) =>
      new langchain.ChatAnthropic({
        model: "auto",
        apiKey: "unused",
        maxRetries: 0,
        maxTokens: 1_000,
        anthropicApiUrl: system.url,
        ...more,
      }),
  },
];

const ways = {
  whole: (model: Model, input: unknown) => model.invoke(input),
  async streamed(model: Model, input: unknown) {
    let whole: Message | undefined;
    for await (const chunk of await model.stream(input))
      whole = whole === undefined ? chunk : langchain.concat(whole, chunk);
    return whole ?? expect.unreachable("no chunk");
  },
};

// The parts of LangChain's types that the tests use.
interface Message {
  text: string;
  tool_calls?: { id: string; name: string; args: object; type: string }[];
  usage_metadata?: Record<string, number>;
  response_metadata: { model?: string; model_name?: string };
}
interface Model {
  invoke(input: unknown): Promise<Message>;
  stream(input: unknown): Promise<AsyncIterable<Message>>;
}

/** A tool that answers with its own name. */
function cityTool(name: string, description: string) {
  const schema = langchain.z.object({ city: langchain.z.string().describe("such as Kiel") });
  return langchain.tool(() => `from ${name}`, { name, description, schema });
}
const numbers = () => langchain.z.object({ a: langchain.z.number().int(), b: langchain.z.number().int() });
const plus = () =>
  langchain.tool(({ a, b }: { a: number; b: number }) => `${a + b}`, { name: "plus", schema: numbers() });

describe.each(clients)("LangChain's $client", ({ open }) => {
  describe.each(Object.entries(ways))("%s", (way, ask) => {
    it("answers with its usage and the model", async () => {
      const answer = await ask(open(), "Good morning");
      expect(answer.text).toContain('You said: "Good morning"');
      const counts = { input_tokens: expect.any(Number), output_tokens: expect.any(Number) };
      expect(answer.usage_metadata).toMatchObject({ ...counts, total_tokens: expect.any(Number) });
      const { model, model_name } = answer.response_metadata;
      if (way === "whole") expect(model ?? model_name).toBe("auto");
    });

    it("carries on a conversation", async () => {
      const { HumanMessage, AIMessage } = langchain;
      const lines = [new HumanMessage("It is windy."), new AIMessage("So it is."), new HumanMessage("And now?")];
      expect((await ask(open(), lines)).text).toContain('Before that you said: "It is windy."');
    });

    it("takes a result to the waiting run", async () => {
      const tool = cityTool("city_forecast", "The forecast for a city.");
      const model = open().bindTools([tool]);
      const messages = [new langchain.HumanMessage("Is it dry in Kiel? Use the 'city_forecast' tool.")];
      const asked = await ask(model, messages);
      expect(asked.tool_calls).toEqual([
        { id: expect.any(String), name: "city_forecast", args: { city: expect.any(String) }, type: "tool_call" },
      ]);
      expect(asked.usage_metadata?.output_tokens).toBeGreaterThan(0);
      messages.push(asked, await tool.invoke(asked.tool_calls?.[0]));
      expect((await ask(model, messages)).text).toContain("Result of city_forecast: from city_forecast");
      expect(runs()).toBe(1);
    });

    it("gets two calls at once, and their results to the model", async () => {
      const tools = [cityTool("city_forecast", "The forecast."), cityTool("city_population", "The people.")];
      const model = open().bindTools(tools);
      const words =
        "Tell me of Kiel.\nUse the 'city_forecast' tool for the sky and the 'city_population' tool for the rest.";
      const messages = [new langchain.HumanMessage(words)];
      const asked = await ask(model, messages);
      expect(asked.tool_calls?.map(({ name }) => name)).toEqual(["city_forecast", "city_population"]);
      messages.push(asked);
      for (const [index, tool] of tools.entries()) messages.push(await tool.invoke(asked.tool_calls?.[index]));
      const last = await ask(model, messages);
      expect(last.text).toContain("Result of city_population: from city_population");
      expect(last.tool_calls ?? []).toEqual([]);
      expect(runs()).toBe(1);
    });

    it("gets a call for a question that fits its tool", async () => {
      const { name, description, schema } = cityTool("city_forecast", "The forecast for a city.");
      const asked = await ask(open().bindTools([{ name, description, schema }]), "How is the forecast for Kiel?");
      expect(asked.tool_calls).toMatchObject([{ name, args: { city: expect.any(String) } }]);
    });

    it("gets a call that the system prompt wants, of a tool in any form", async () => {
      const { RunnableLambda, z } = langchain;
      const openAiTool = { type: "function", function: { name: "plus", parameters: z.toJSONSchema(numbers()) } };
      const runnable = RunnableLambda.from(() => {}).asTool({ name: "plus", description: "Adds.", schema: numbers() });
      const messages = [
        ["system", "You count badly, so always use the plus tool."],
        ["human", "How many are 17 and 25?"],
      ];
      for (const tool of [plus(), openAiTool, runnable]) {
        const asked = await ask(open().bindTools([tool]), messages);
        expect(asked.tool_calls).toMatchObject([
          { name: "plus", args: { a: expect.any(Number), b: expect.any(Number) } },
        ]);
      }
    });
  });

  it("answers a batch", async () => {
    const answers: Message[] = await open().batch(["One", "Two"]);
    expect(answers.map(({ text }) => text)).toEqual([
      expect.stringContaining('"One"'),
      expect.stringContaining('"Two"'),
    ]);
  });

  const openAiForm = "";
  const anthropicForm = [
    { type: "text", text: "I add." },
    { type: "tool_use", id: "c1", name: "plus", input: { a: 1, b: 2 } },
  ];
  it.each([{ content: openAiForm }, { content: anthropicForm }])(
    "takes histories with calls: $content",
    async ({ content }) => {
      const { HumanMessage, AIMessage, ToolMessage } = langchain;
      const call = { name: "plus", args: { a: 1, b: 2 }, id: "c1", type: "tool_call" };
      const round = [
        new HumanMessage("How many are 1 and 2?"),
        new AIMessage({ content, tool_calls: [call] }),
        new ToolMessage("3", "c1", "plus"),
      ];
      const model = open().bindTools([plus()]);
      expect((await model.invoke(round)).text).toContain("3");
      const example = [...round, new AIMessage("3"), new HumanMessage("And 3 and 4?")];
      expect((await model.invoke(example)).text).toContain('You said: "And 3 and 4?"');
    },
  );

  it("answers in the structure that was asked for", async () => {
    const { z } = langchain;
    const schema = z.object({ place: z.object({ name: z.string() }), people: z.number().int() });
    const fits = { place: { name: expect.any(String) }, people: expect.any(Number) };
    for (const method of [undefined, "functionCalling", "jsonSchema"]) {
      const model = open().withStructuredOutput(schema, { name: "found", includeRaw: true, method });
      expect(await model.invoke("Which place is it?"), method).toMatchObject({ parsed: fits });
    }
  });

  it("answers the same again from LangChain's cache", async () => {
    const message = new langchain.HumanMessage({ content: [{ type: "text", text: "Hello to the cache" }] });
    const model = open({ cache: true });
    const first = await model.invoke([message]);
    expect(await model.invoke([message])).toEqual(first);
    expect(runs()).toBe(1);
  });

  it("takes images as blocks, LangChain's own and OpenAI's", async () => {
    const data = Buffer.from("89504e470d0a1a0a", "hex").toString("base64");
    const openAis = { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } };
    for (const image of [openAis, { type: "image", source_type: "base64", data, mime_type: "image/png" }]) {
      const message = new langchain.HumanMessage({ content: [{ type: "text", text: "Look here" }, image] });
      // ChatAnthropic sends LangChain's own twice.
      expect((await open().invoke([message])).text).toMatch(
        /"Look here"\. You sent \d image\(s\): image\/png of 8 bytes/,
      );
    }
  });
});
