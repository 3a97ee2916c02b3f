import OpenAI, {
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "openai";
import { zodFunction } from "openai/helpers/zod";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());
const client = startedEach(() => new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 }));

const user = (content: string): ChatCompletionMessageParam => ({ role: "user", content });
const ask = (content: string) => ({ model: "auto", messages: [user(content)] });

describe("the official openai package", () => {
  it("aborts, and the upstream run is reset at once", async () => {
    const stream = await client.chat.completions.create({ ...ask("[[say begun]] [[wait 60000]]"), stream: true });
    await stream[Symbol.asyncIterator]().next();
    stream.controller.abort();
    await expect.poll(() => system.simulator.stats().cancelled).toBe(1);
    expect(system.simulator.stats().runsOpen).toBe(0);
  });
});

describe("the tool runner of the openai package", () => {
  const cities: string[] = [];
  const weather = zodFunction({
    name: "weather",
    description: "The weather of a city.",
    parameters: z.object({ city: z.string() }),
    function: ({ city }) => {
      cities.push(city);
      return `rain in ${city}`;
    },
  });
  const question =
    '[[call weather {"city":"Kiel"}]] [[call weather {"city":"Bonn"}]] then [[call weather {"city":"Ulm"}]] then [[say Bring a coat.]]';

  it.each([false, true])("runs tools until the final answer, in one run (stream: %s)", async (isStreamed) => {
    cities.length = 0;
    const body = { ...ask(question), tools: [weather] };
    const runner = isStreamed
      ? client.chat.completions.runTools({ ...body, stream: true })
      : client.chat.completions.runTools(body);
    expect(await runner.finalContent()).toContain("Bring a coat.");
    expect(cities).toEqual(["Kiel", "Bonn", "Ulm"]);
    expect(system.simulator.stats()).toMatchObject({ runs: 1, conversations: 1, runsOpen: 0 });

    const { data, response } = await client.chat.completions
      .create({ ...body, messages: [...runner.messages, user("[[say Goodbye.]]")] })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe("Goodbye.");
    expect(response.headers.get("x-curlew-continuity")).toBe("warm");
    expect(system.simulator.stats()).toMatchObject({ runs: 2, conversations: 1 });
  });
});

describe("the stream of the openai package", () => {
  it("emits its own events, and assembles the completion", async () => {
    const stream = client.chat.completions.stream({
      ...ask('[[usage 10 5 0 0 0]] [[say Let me see.]] [[call add {"a":1}]]'),
      tools: [{ type: "function", function: { name: "add", parameters: { type: "object", properties: {} } } }],
      stream_options: { include_usage: true },
    });
    const seen: string[] = [];
    stream.on("content.done", ({ content }) => seen.push(`text ${content}`));
    stream.on("tool_calls.function.arguments.done", (call) => seen.push(`call ${call.name} ${call.arguments}`));
    stream.on("chatCompletion", () => seen.push("completion"));
    const completion = await stream.finalChatCompletion();
    expect(seen).toEqual(["text Let me see.", 'call add {"a":1}', "completion"]);
    expect(completion).toMatchObject({
      choices: [
        { finish_reason: "tool_calls", message: { content: "Let me see.", tool_calls: [{ type: "function" }] } },
      ],
    });
    expect((await stream.totalUsage()).total_tokens).toBeGreaterThan(0);
  });
});

describe("custom tools", () => {
  const tools = [{ type: "custom" as const, custom: { name: "py", description: "Runs Python." } }];

  const messages = [user('[[call py {"input":"print(1 + 1)"}]] then [[say Two.]]')];
  const body = { model: "auto", messages, tools };

  it("are called with free text, and answered", async () => {
    const completion = await client.chat.completions.create(body);
    const message = completion.choices[0]?.message;
    const call = message?.tool_calls?.[0];
    expect(call).toMatchObject({ type: "custom", custom: { name: "py", input: "print(1 + 1)" } });
    if (message === undefined || call === undefined) return;
    const last = await client.chat.completions.create({
      ...body,
      messages: [...messages, message, { role: "tool", tool_call_id: call.id, content: "2" }],
    });
    expect(last.choices[0]?.message.content).toContain("Two.");
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAnswered: 2 });
  });
});

describe("errors", () => {
  const hi = ask("hi");

  it.each<[string, () => Promise<unknown>, new (...args: never[]) => Error, string]>([
    ["a bad field", () => client.chat.completions.create({ ...hi, max_tokens: 0 }), BadRequestError, "invalid_request"],
    [
      "several choices",
      () => client.chat.completions.create({ ...hi, n: 3 }),
      BadRequestError,
      "unsupported_parameter",
    ],
    ["an unknown model", () => client.models.retrieve("gpt-nonsense"), NotFoundError, "model_not_found"],
    [
      "embeddings",
      () => client.embeddings.create({ model: "text-embedding-3-small", input: "x" }),
      InternalServerError,
      "not_implemented",
    ],
    [
      "too many requests",
      () => client.chat.completions.create(ask("[[fail resource_exhausted ERROR_RATE_LIMITED]]")),
      RateLimitError,
      "rate_limit_exceeded",
    ],
    [
      "a missing permission",
      () => client.chat.completions.create(ask("[[fail permission_denied]]")),
      PermissionDeniedError,
      "permission_denied",
    ],
  ])("come in the package's own class for %s", async (_, attempt, type, code) => {
    const thrown = await attempt().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(type);
    expect(thrown).toMatchObject({ code });
  });
});

describe("the old functions", () => {
  const functions = ["weather", "tide"].map((name) => ({ name, parameters: { type: "object", properties: {} } }));
  const { messages: asked } = ask(
    '[[call weather {"city":"Kiel"}]] [[call tide {}]] then [[call weather {"city":"Bonn"}]] then [[say done]]',
  );

  it.each([false, true])("are called one by one, without an id, all on one run (stream: %s)", async (isStreamed) => {
    const messages = [...asked];
    const called: unknown[] = [];
    for (let isOver = false; !isOver; ) {
      const body = { model: "auto", messages, functions };
      const { completions } = client.chat;
      const reply = isStreamed ? completions.stream(body).finalChatCompletion() : completions.create(body);
      const [choice] = (await reply).choices;
      if (choice === undefined) throw new Error("no choice");
      const { message, finish_reason } = choice;
      messages.push(message);
      const call = message.function_call;
      expect(finish_reason).toBe(call ? "function_call" : "stop");
      expect(message.tool_calls).toBeUndefined();
      isOver = !call;
      if (!call) continue;
      called.push([call.name, JSON.parse(call.arguments)]);
      messages.push({ role: "function", name: call.name, content: "fine" });
    }
    expect(called).toEqual([
      ["weather", { city: "Kiel" }],
      ["tide", {}],
      ["weather", { city: "Bonn" }],
    ]);
    expect(messages.at(-1)?.content).toContain("done");
    expect(system.simulator.stats()).toMatchObject({ runs: 1, conversations: 1, execsAbandoned: 0 });

    // The user writes while a function runs: the run that waits gets the words, and its next call finds it, too.
    const continuities: unknown[] = [];
    for (const words of [["[[call tide {}]]"], ['[[call tide {"at":"noon"}]]'], []]) {
      if (continuities.length > 0) messages.push({ role: "function", name: "tide", content: "low" });
      messages.push(...words.map(user));
      const reply = client.chat.completions.create({ model: "auto", messages, functions });
      const { data, response } = await reply.withResponse();
      continuities.push(response.headers.get("x-curlew-continuity"));
      messages.push(...data.choices.map(({ message }) => message));
    }
    expect(continuities).toEqual(["warm", "warm:steered", "warm"]);
  });
});
