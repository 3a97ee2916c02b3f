import { join } from "node:path";
import OpenAI, { NotFoundError } from "openai";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { ResponsesWS } from "openai/resources/responses/ws";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { makeKey, writeKeys } from "../packages/meter/keys/index.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";

const system = startedOnce(() => startWholeSystem());
const client = startedOnce(() => new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 }));
beforeEach(() => system.simulator.reset());

const model = "auto";
const said = (text: string) => ({ role: "user" as const, content: text });

async function ask(fields: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "model">) {
  const { data, response } = await client.responses.create({ model, ...fields }).withResponse();
  return { response: data, continuity: response.headers.get("x-curlew-continuity") };
}

/** The items of a conversation in short, oldest first. */
async function itemsOf(conversation: string): Promise<string[]> {
  const items: string[] = [];
  for await (const item of client.conversations.items.list(conversation, { order: "asc" })) {
    const text = JSON.stringify(item).match(/"text":"([^"]*)"/)?.[1] ?? "";
    items.push(item.type === "message" ? `${item.role}: ${text}` : item.type);
  }
  return items;
}

describe("a conversation of the official openai package", () => {
  it("is created, retrieved, updated and deleted", async () => {
    const empty = await client.conversations.create();
    expect(empty).toEqual({
      id: expect.stringMatching(/^conv_\w+$/),
      object: "conversation",
      created_at: expect.any(Number),
      metadata: {},
    });
    const { id } = await client.conversations.create({ metadata: { topic: "birds" }, items: [said("hello")] });
    expect(await client.conversations.retrieve(id)).toMatchObject({ id, metadata: { topic: "birds" } });
    expect(await client.conversations.update(id, { metadata: { topic: "ducks" } })).toMatchObject({ id });
    expect((await client.conversations.retrieve(id)).metadata).toEqual({ topic: "ducks" });
    expect(await itemsOf(id)).toEqual(["user: hello"]);
    expect(await client.conversations.delete(id)).toEqual({ id, object: "conversation.deleted", deleted: true });
    await expect(client.conversations.retrieve(id)).rejects.toMatchObject({
      status: 404,
      code: "conversation_not_found",
      message: expect.stringContaining(id),
    });
  });

  it("has items that are added, listed in pages, retrieved and deleted", async () => {
    const { id } = await client.conversations.create({ items: [] });
    // A client may send an item again, with the id that it had.
    const items = ["a", "b", "c"].map((text) => ({ ...said(text), id: "msg_again" }));
    const added = await client.conversations.items.create(id, { items, include: ["file_search_call.results"] });
    expect(added).toMatchObject({ object: "list", has_more: false, data: [{ role: "user" }, {}, {}] });
    const [first, second] = added.data.map((item) => item.id ?? "");
    expect([added.first_id, added.data[2]?.id]).toEqual([first, added.last_id]);
    const newest = await client.conversations.items.list(id, { limit: 2 });
    expect(newest.data.map((item) => item.id)).toEqual([added.last_id, second]);
    expect((await newest.getNextPage()).data.map((item) => item.id)).toEqual([first]);
    const one = { conversation_id: id };
    expect(await client.conversations.items.retrieve(first ?? "", one)).toEqual(added.data[0]);
    expect(await client.conversations.items.delete(first ?? "", one)).toMatchObject({ id, object: "conversation" });
    await expect(client.conversations.items.retrieve(first ?? "", one)).rejects.toMatchObject({
      status: 404,
      code: "item_not_found",
    });
    await expect(client.conversations.items.delete(first ?? "", one)).rejects.toBeInstanceOf(NotFoundError);
    expect(await itemsOf(id)).toEqual(["user: b", "user: c"]);
  });

  it("takes all items of a long turn at once, as OpenAI's Agents SDK adds them", async () => {
    const { id } = await client.conversations.create();
    const round = (number: number): ResponseInputItem[] => [
      { type: "function_call", call_id: `call_${number}`, name: "add", arguments: "{}" },
      { type: "function_call_output", call_id: `call_${number}`, output: String(number) },
    ];
    const items = [said("add"), ...Array.from({ length: 12 }, (_, number) => round(number)).flat()];
    expect((await client.conversations.items.create(id, { items })).data).toHaveLength(25);
    expect(await itemsOf(id)).toHaveLength(25);
  });

  it("is unknown to another key", async () => {
    const keyed = await startWholeSystem();
    onTestFinished(keyed.close);
    const made = ["mine", "other"].map((name) => makeKey(name, {}, Date.now()));
    writeKeys(
      join(keyed.home, "keys.json"),
      made.map(({ stored }) => stored),
    );
    const baseURL = `${keyed.url}/v1`;
    const [mine, other] = made.map(
      ({ secret }) => new OpenAI({ baseURL, apiKey: secret, maxRetries: 0 }).conversations,
    );
    const { id } = (await mine?.create({ items: [said("hello")] })) ?? { id: "" };
    await expect(other?.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(other?.items.create(id, { items: [said("hi")] })).rejects.toBeInstanceOf(NotFoundError);
    await expect(other?.delete(id)).rejects.toBeInstanceOf(NotFoundError);
    expect((await mine?.items.list(id))?.data).toHaveLength(1);
  });

  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, "v"]));
  it.each<[what: string, body: object, param: string]>([
    ["an item without content", { items: [said("a"), { role: "user" }] }, "items[1].content"],
    ["a reference to nothing", { items: [{ type: "item_reference", id: "msg_x_0" }] }, "items"],
    ["more than 16 pairs of metadata", { metadata: pairs(17) }, "metadata"],
    ["a long value of metadata", { metadata: { a: "x".repeat(513) } }, "metadata.a"],
    ["a long key of metadata", { metadata: { ["x".repeat(65)]: "a" } }, "metadata"],
  ])("is refused with %s", async (_, body, param) => {
    const refused = { status: 400, code: "invalid_request", param };
    await expect(client.conversations.create(body)).rejects.toMatchObject(refused);
  });
});

describe("responses in a conversation", () => {
  it("are warm over three turns, one run each, and leave their items in it", async () => {
    const { id } = await client.conversations.create({ items: [said("Some words."), said("More words.")] });
    const turn = (text: string, conversation: string | { id: string }) =>
      ask({ conversation, input: text, instructions: "Be kind." });
    const first = await turn("[[think hm]] [[say one]]", id);
    const second = await turn("[[say two]]", { id });
    const third = await turn("[[say three]]", id);
    expect([first, second, third].map(({ continuity }) => continuity)).toEqual(["cold:new", "warm", "warm"]);
    expect(third.response).toMatchObject({ output_text: "three", conversation: { id }, previous_response_id: null });
    expect(system.simulator.stats()).toMatchObject({ runs: 3, conversations: 1 });
    expect(await itemsOf(id)).toEqual([
      "user: Some words.",
      "user: More words.",
      "user: [[think hm]] [[say one]]",
      "reasoning",
      "assistant: one",
      "user: [[say two]]",
      "assistant: two",
      "user: [[say three]]",
      "assistant: three",
    ]);
    // A client that sends everything again continues the same conversation.
    const { data } = await client.conversations.items.list(id, { order: "asc" });
    const input = [...(data as ResponseInputItem[]), said("[[say four]]")];
    expect(await ask({ input, instructions: "Be kind." })).toMatchObject({ continuity: "warm" });
  });

  it("complete a round with a tool in one run, streamed and without being stored", async () => {
    const { id: conversation } = await client.conversations.create();
    const tools = [{ type: "function" as const, name: "weather", parameters: { type: "object" }, strict: false }];
    const fields = { model, conversation, tools, store: false };
    const call = '[[call weather {"city":"Kiel"}]] then [[say done]]';
    const first = await client.responses.stream({ ...fields, input: call }).finalResponse();
    const [made] = first.output;
    const output: ResponseInputItem = {
      type: "function_call_output",
      call_id: made?.type === "function_call" ? made.call_id : "",
      output: "rain",
    };
    const second = await ask({ ...fields, input: [output] });
    expect([second.continuity, second.response.output_text]).toEqual(["warm", expect.stringContaining("rain")]);
    expect(system.simulator.stats().runs).toBe(1);
    const kinds = (await itemsOf(conversation)).map((item) => item.split(":")[0]);
    expect(kinds).toEqual(["user", "function_call", "function_call_output", "assistant"]);
  });

  it("can be made in the background and on a WebSocket", async () => {
    const { id: conversation } = await client.conversations.create();
    const { id } = await client.responses.create({ model, conversation, input: "[[say one]]", background: true });
    await expect.poll(async () => (await client.responses.retrieve(id)).status).toBe("completed");
    const socket = new ResponsesWS(client);
    onTestFinished(() => socket.close());
    const completed = new Promise((resolve) => socket.once("response.completed", resolve));
    socket.send({ type: "response.create", model, conversation, input: "[[say two]]", store: false });
    expect(await completed).toMatchObject({ response: { conversation: { id: conversation } } });
    expect(await itemsOf(conversation)).toEqual([
      "user: [[say one]]",
      "assistant: one",
      "user: [[say two]]",
      "assistant: two",
    ]);
    expect(system.simulator.stats()).toMatchObject({ runs: 2, conversations: 1 });
  });

  it("add nothing when they fail", async () => {
    const { id } = await client.conversations.create({ items: [said("hello")] });
    await expect(ask({ conversation: id, input: "[[fail permission_denied]]" })).rejects.toMatchObject({ status: 403 });
    expect(await itemsOf(id)).toEqual(["user: hello"]);
  });

  it("are refused without such a conversation, or together with a previous response", async () => {
    await expect(ask({ conversation: "conv_gone", input: "hi" })).rejects.toMatchObject({
      status: 404,
      code: "conversation_not_found",
    });
    const { id: conversation } = await client.conversations.create();
    const { response } = await ask({ conversation, input: "[[say one]]" });
    const previous = { previous_response_id: response.id, input: "hi" };
    await expect(ask({ ...previous, conversation })).rejects.toMatchObject({ status: 400, param: "conversation" });
    await expect(ask(previous)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(`conversation: "${conversation}"`),
    });
  });
});
