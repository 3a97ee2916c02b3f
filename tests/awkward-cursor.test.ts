import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { wireTools } from "../packages/gateway/backends/agent/request/tool-definitions.js";
import { startWholeSystem, type TestSettings, type WholeSystem } from "../testing/gateway/whole-system.js";
import { bytesField, changedServer, editFields, type Field } from "../testing/simulator/changed-server.js";
import type { StrictStart } from "../testing/simulator/strict-simulator.js";

let system: WholeSystem;
afterEach(() => system.close());

async function start(simulated: StrictStart, settings: TestSettings = {}): Promise<OpenAI> {
  system = await startWholeSystem(simulated, settings);
  return new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused" });
}

const user = (content: string) => ({ role: "user" as const, content });
const offered = (name: string, parameters: Record<string, unknown> = { type: "object" }) =>
  ({ type: "function", function: { name, parameters } }) satisfies OpenAI.ChatCompletionTool;
const callsOf = ({ choices }: OpenAI.ChatCompletion) => choices[0]?.message.tool_calls ?? [];

describe("a model whose provider refuses combinators in schemas", () => {
  const at = { oneOf: [{ type: "string" }, { type: "object", properties: { line: { type: "integer" } } }] };
  const tools = [offered("find", { type: "object", properties: { at }, required: ["at"] })];
  const ask = { model: "claude-fable-5-high", tools };

  it.each([true, false])("passes on arguments that violate the schema, with a warning (stream: %s)", async (stream) => {
    const client = await start({ refuseCombinators: true });
    const body = { ...ask, messages: [user('[[call find {"at":5}]]')] };
    if (stream) {
      let args = "";
      for await (const { choices } of await client.chat.completions.create({ ...body, stream }))
        args += choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? "";
      expect(args).toBe('{"at":5}');
    } else {
      const { data, response } = await client.chat.completions.create({ ...body, stream }).withResponse();
      expect(callsOf(data)).toMatchObject([{ function: { arguments: '{"at":5}' } }]);
      expect(response.headers.get("x-curlew-warnings")).toContain(
        "The arguments of a call to find do not fit its schema, and are passed on as they are",
      );
    }
  });
});

describe("an account that accepts only one shape of model names", () => {
  const ask = (model = "claude-fable-5-high") => ({ model, messages: [user("[[say Here.]]")] });
  const answer = async (client: OpenAI, model?: string) =>
    (await client.chat.completions.create(ask(model))).choices[0]?.message.content;
  /** Runs at Cursor during the work. */
  const runsDuring = async (work: () => Promise<unknown>) => {
    const before = system.simulator.stats().runs;
    await work();
    return system.simulator.stats().runs - before;
  };

  it.each(["not-found", "resource-exhausted"] as const)(
    "is retried once in the other shape, which is kept, also over a restart (%s)",
    async (modelIdError) => {
      const client = await start({ modelIds: "parameters", modelIdError });
      expect(await answer(client)).toBe("Here.");
      expect(system.simulator.stats().runs).toBe(2);
      expect(await runsDuring(() => answer(client))).toBe(1);
      const restarted = new OpenAI({ baseURL: `${await system.startAnother()}/v1`, apiKey: "unused" });
      expect(await runsDuring(() => answer(restarted))).toBe(1);
      system.simulator.configure({ modelIds: "slug" });
      expect(await runsDuring(() => answer(restarted))).toBe(2);
      expect(await runsDuring(() => answer(restarted))).toBe(1);
    },
  );

  it("gets a third attempt when the stream of the other shape breaks", async () => {
    const client = await start({ modelIds: "parameters" });
    const messages = [user("[[drop once]] [[say Here.]]")];
    const reply = await client.chat.completions.create({ ...ask(), messages });
    expect(reply.choices[0]?.message.content).toBe("Here.");
    expect(system.simulator.stats().runs).toBe(3);
    expect(await runsDuring(() => answer(client))).toBe(1);
  });

  it.each([
    ["base", 1],
    ["variant", 2],
  ] as const)("is tried with the others by the next request when two are refused (%s)", async (modelIds, runs) => {
    const client = await start({ modelIds });
    await expect(answer(client)).rejects.toMatchObject({ status: 404 });
    expect(system.simulator.stats().runs).toBe(2);
    expect(await runsDuring(() => answer(client))).toBe(runs);
    expect(await runsDuring(() => answer(client))).toBe(1);
  });

  it("can be asked for the marked name of a variant, or for the plain one", async () => {
    const client = await start({ modelIds: "variant" });
    expect(await answer(client, "raw/claude-fable-5-high[]")).toBe("Here.");
    await expect(answer(client, "raw/claude-fable-5-high")).rejects.toMatchObject({ status: 404 });
    system.simulator.configure({ modelIds: "slug" });
    await expect(answer(client, "raw/claude-fable-5-high[]")).rejects.toMatchObject({ status: 404 });
    expect(await answer(client, "raw/claude-fable-5-high")).toBe("Here.");
  });
});

describe("Cursor's own web tools", () => {
  const ask = {
    model: "auto",
    messages: [user('[[query web_search {"searchTerm":"tea"}]] then [[query web_fetch {}]]')],
  };

  it.each([
    { webTools: false, verdict: "rejected" },
    { webTools: true, verdict: "approved" },
  ])("are $verdict with webTools: $webTools", async ({ webTools, verdict }) => {
    const client = await start({}, { webTools });
    const { choices } = await client.chat.completions.create(ask);
    expect(choices[0]?.message.content).toContain(`query web_search: ${verdict}`);
    expect(choices[0]?.message.content).toContain(`query web_fetch: ${verdict}`);
  });
});

describe("a notice from Cursor", () => {
  it.each([true, false])(
    "is kept out of the answer and reaches the client in a header (stream: %s)",
    async (stream) => {
      const client = await start({});
      const messages = [user("[[notice Your plan ends soon.]] [[say Here.]]")];
      const { data, response } = await client.chat.completions
        .create({ model: "auto", messages, stream })
        .withResponse();
      expect(response.headers.get("x-curlew-warnings")).toBe("Cursor says: Your plan ends soon.");
      let text = "";
      if (Symbol.asyncIterator in data) for await (const { choices } of data) text += choices[0]?.delta.content ?? "";
      else text = data.choices[0]?.message.content ?? "";
      expect(text).toBe("Here.");
    },
  );
});

describe("tools with long names", () => {
  it("are shortened for the model and restored for the client", async () => {
    const client = await start({});
    const name = `mcp__${"a_very_long_server".repeat(3)}__find`.slice(0, 64);
    const short = wireTools([{ name, description: "", inputSchema: {} }]).wireName(name);
    expect(short.length).toBeLessThan(name.length);
    const tools = [offered(name), offered("look")];
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      user(`[[call ${short} {}]] [[call look {}]] then [[say Done.]]`),
    ];
    const first = await client.chat.completions.create({ model: "auto", messages, tools });
    expect(callsOf(first)).toMatchObject([{ function: { name } }, { function: { name: "look" } }]);
    messages.push(first.choices[0]?.message as OpenAI.ChatCompletionMessage);
    for (const { id } of callsOf(first)) messages.push({ role: "tool", tool_call_id: id, content: "fine" });
    const second = await client.chat.completions.create({ model: "auto", messages, tools });
    expect(second.choices[0]?.message.content).toMatch(/Done\.$/);
    expect(system.simulator.stats().runs).toBe(1);
  });
});

describe("a server whose turn_ended has a usage of other types", () => {
  const path = [1, 14]; // interaction_update / turn_ended

  it.each([
    ["h2", "00"], // which generated code would read as 2
    ["h1", "1234"],
  ] as const)("costs no retry and no word of the answer, over %s", async (transport, text) => {
    const texts = (fields: readonly Field[]) => fields.map(({ no }) => bytesField(no, Buffer.from(text)));
    const takeOver = changedServer({ messages: () => (payload) => [editFields(payload, path, texts)] });
    const client = await start({ transport, takeOver });
    const messages = [user("[[say The lamp is lit.]]")];
    const { choices, usage } = await client.chat.completions.create({ model: "auto", messages });
    expect(choices[0]).toMatchObject({ message: { content: "The lamp is lit." }, finish_reason: "stop" });
    expect(usage?.prompt_tokens).toBeGreaterThan(2);
    expect(system.simulator.stats()).toMatchObject({ runs: 1, cancelled: 0 });
    const health: unknown = await (await fetch(`${system.url}/health`)).json();
    expect(health).toMatchObject({ drift: { usage: 1, "usage 1": 1, update: 0 } });
  });
});
