import OpenAI, { NotFoundError } from "openai";
import { toResponseInputItems } from "openai/lib/responses/ResponseInputItems";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { jsonPost, RawClient } from "../testing/clients/raw-client.js";
import { startTestGateway, startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const system = startedOnce(() => startWholeSystem());
const client = startedOnce(() => new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 }));
beforeEach(() => system.simulator.reset());

const model = "auto";
const weather = {
  type: "function" as const,
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: false,
};

/** Sends a request. Returns the response with its continuity and headers. */
async function ask(fields: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "model">) {
  const { data, response } = await client.responses.create({ model, ...fields }).withResponse();
  return { response: data, continuity: response.headers.get("x-curlew-continuity"), headers: response.headers };
}

const callsOf = (response: OpenAI.Responses.Response) =>
  response.output.filter((item) => item.type === "function_call");
const resultOf = (callId: string | undefined, output: string): ResponseInputItem => ({
  type: "function_call_output",
  call_id: callId ?? "",
  output,
});

describe("the official openai package, through Responses", () => {
  it("streams an answer through its own helper", async () => {
    const stream = client.responses.stream({ model, input: "[[think hm]] [[say one two three four]]" });
    let text = "";
    stream.on("response.output_text.delta", ({ delta, snapshot }) => {
      text += delta;
      expect(snapshot).toBe(text);
    });
    const response = await stream.finalResponse();
    expect(text).toBe("one two three four");
    expect(response.output_text).toBe(text);
    expect(response.status).toBe("completed");
  });

  it("counts input tokens, including those of the previous response, without asking the model", async () => {
    const { response } = await ask({ input: `[[say ok]] ${"x".repeat(4_000)}` });
    const runs = system.simulator.stats().runs;
    const { data, response: head } = await client.responses.inputTokens
      .count({ model, input: "y".repeat(400) })
      .withResponse();
    expect(data).toEqual({ object: "response.input_tokens", input_tokens: 100 });
    expect(head.headers.get("x-curlew-usage")).toBe("estimated");
    const tools = [weather];
    const more = await client.responses.inputTokens.count({ input: "y", tools, previous_response_id: response.id });
    expect(more.input_tokens).toBeGreaterThan(1_000);
    await expect(client.responses.inputTokens.count({ input: [] })).rejects.toThrow(/no input to answer/);
    expect(system.simulator.stats().runs).toBe(runs);
  });
});

describe("tools", () => {
  it("complete a round with previous_response_id, streamed", async () => {
    const first = await client.responses
      .stream({ model, tools: [weather], input: '[[call weather {"city":"Kiel"}]] then [[say done]]' })
      .finalResponse();
    const [call] = callsOf(first);
    expect(call).toMatchObject({ name: "weather", arguments: '{"city":"Kiel"}' });
    const { response, continuity } = await ask({
      previous_response_id: first.id,
      tools: [weather],
      input: [resultOf(call?.call_id, "rain")],
    });
    expect(response.output_text).toContain("Result of weather: rain");
    expect(continuity).toBe("warm");
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("can be in namespaces, also in an additional_tools item", async () => {
    const tools = [
      {
        type: "namespace",
        name: "functions",
        description: "All there is.",
        tools: [{ type: "custom", name: "exec" }, weather],
      },
    ];
    const input: object[] = [
      { type: "additional_tools", role: "developer", tools },
      {
        role: "user",
        content:
          '[[call functions__exec {"input":"ls"}]] [[call functions__weather {"city":"Kiel"}]] then [[say done]]',
      },
    ];
    const post = (body: object) =>
      postJson(`${system.url}/v1/responses`, { model, store: false, parallel_tool_calls: true, ...body });
    const first = (await (await post({ input })).json()) as OpenAI.Responses.Response;
    expect(first.output).toMatchObject([
      { type: "custom_tool_call", name: "exec", namespace: "functions", input: "ls" },
      { type: "function_call", name: "weather", namespace: "functions", arguments: '{"city":"Kiel"}' },
    ]);
    const results = first.output.map((item) => ({
      type: `${item.type}_output`,
      call_id: "call_id" in item ? item.call_id : "",
      output: "fine",
    }));
    const second = await post({ input: [...input, ...first.output, ...results] });
    expect(second.headers.get("x-curlew-continuity")).toBe("warm");
    expect(await second.text()).toContain("done");
    expect(system.simulator.stats().runs).toBe(1);
  });
});

describe("a conversation", () => {
  it("continues warm from the previous response, and sends nothing again", async () => {
    const first = await ask({ input: `[[say one]] ${"Some words. ".repeat(500)}`, instructions: "Be kind." });
    expect(first.continuity).toBe("cold:new");
    const sent = system.simulator.stats().bytesIn;
    const second = await ask({
      input: "[[think so]] [[say two]]",
      instructions: "Be kind.",
      previous_response_id: first.response.id,
    });
    expect([second.continuity, second.response.output_text]).toEqual(["warm", "two"]);
    expect(system.simulator.stats().bytesIn - sent).toBeLessThan(sent / 2);
    const third = await ask({
      input: "[[say three]]",
      instructions: "Be kind.",
      previous_response_id: second.response.id,
    });
    expect([third.continuity, third.response.output_text]).toEqual(["warm", "three"]);
    expect(third.response.previous_response_id).toBe(second.response.id);
    const stats = system.simulator.stats();
    expect([stats.runs, stats.conversations]).toEqual([3, 1]);
  });

  it("also continues warm when the client sends all items, or references to them", async () => {
    const input: ResponseInputItem[] = [{ role: "user", content: "[[think hm]] [[say one]]" }];
    const first = await ask({ input, include: ["reasoning.encrypted_content"] });
    expect(first.response.output[0]).toMatchObject({
      type: "reasoning",
      encrypted_content: expect.stringMatching(/./),
    });
    input.push(...toResponseInputItems(first.response.output), { role: "user", content: "[[say two]]" });
    const second = await ask({ input, store: false });
    expect([second.continuity, second.response.output_text]).toEqual(["warm", "two"]);
    const third = await ask({
      input: [
        { role: "user", content: "[[think hm]] [[say one]]" },
        ...first.response.output.map(({ id }) => ({ type: "item_reference" as const, id: id ?? "" })),
        { role: "user", content: "[[say three]]" },
      ],
    });
    expect([third.continuity, third.response.output_text]).toEqual(["warm", "three"]);
  });

  it("does not inherit instructions from the previous response", async () => {
    const first = await ask({ input: "[[say one]]", instructions: "You are a heron named Ardea." });
    const { response } = await ask({ input: "Who are you?", previous_response_id: first.response.id });
    expect(response.instructions).toBeNull();
    expect(response.output_text).not.toContain("Ardea");
  });
});

describe("a compacted conversation", () => {
  it("is summarised in place, and continues from only the summary", async () => {
    const { response } = await ask({ input: `${"Many words. ".repeat(500)} [[say noted]]` });
    const compacted = await client.responses.compact({ model, previous_response_id: response.id });
    expect(compacted).toMatchObject({ object: "response.compaction", output: [{ type: "compaction" }] });
    expect(compacted.usage.output_tokens).toBeGreaterThan(0);
    expect(system.simulator.stats()).toMatchObject({ runs: 2, conversations: 1 });
    const input: ResponseInputItem[] = [
      ...toResponseInputItems(compacted.output),
      { role: "user", content: "[[say going on]]" },
    ];
    const first = await ask({ input });
    expect([first.continuity, first.response.output_text]).toEqual(["cold:new", "going on"]);
    expect(first.response.usage?.input_tokens).toBeLessThan((response.usage?.input_tokens ?? 0) / 2);
    const second = await ask({ input: "[[say and on]]", previous_response_id: first.response.id });
    expect(second.continuity).toBe("warm");
  });
});

describe("a stored response", () => {
  it("can be retrieved, listed and deleted", async () => {
    const { response } = await ask({ input: "[[say kept]]", metadata: { a: "b" } });
    const { output_text: _, ...sent } = response;
    expect(await client.responses.retrieve(response.id)).toMatchObject(sent);
    const items = await client.responses.inputItems.list(response.id, { order: "asc" });
    expect(items.data).toMatchObject([{ type: "message", role: "user", content: [{ text: "[[say kept]]" }] }]);
    expect(items.hasNextPage()).toBe(false);
    await client.responses.delete(response.id);
    await expect(client.responses.retrieve(response.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.responses.delete(response.id)).rejects.toMatchObject({
      status: 404,
      code: "response_not_found",
    });
    await expect(client.responses.inputItems.list(response.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it("survives a restart, and continues warm", async () => {
    const home = temporaryFolder();
    const start = () =>
      startTestGateway({
        home,
        apiKey: "crsr_restart",
        logLevel: "silent",
        settings: { backendUrl: system.simulator.url },
      });
    const before = await start();
    const first = await new OpenAI({ baseURL: `${before.url}/v1`, apiKey: "unused" }).responses.create({
      model,
      input: "[[say one]]",
    });
    await before.close();
    const after = await start();
    onTestFinished(after.close);
    const { data, response } = await new OpenAI({ baseURL: `${after.url}/v1`, apiKey: "unused" }).responses
      .create({ model, input: "[[say two]]", previous_response_id: first.id })
      .withResponse();
    expect([response.headers.get("x-curlew-continuity"), data.output_text]).toEqual(["warm", "two"]);
  });
});

describe("a client that hangs up right after response.completed", () => {
  it("cancels nothing", async () => {
    const raw = await RawClient.connect(Number(new URL(system.url).port));
    raw.send(jsonPost("/v1/responses", { model, stream: true, input: "[[say bye]]" }));
    await raw.until("event: response.completed");
    raw.socket.destroy();
    await raw.closed;
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    expect(system.simulator.stats()).toMatchObject({ runs: 1, cancelled: 0 });
    const id = /"id":"(resp_\w+)"/.exec(raw.received)?.[1] ?? "";
    const { continuity } = await ask({ input: "[[say again]]", previous_response_id: id });
    expect(continuity).toBe("warm");
  });
});
