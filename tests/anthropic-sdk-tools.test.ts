import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

let system: WholeSystem;
let client: Anthropic;
/** The client's requests and their responses. */
let requests: { thread: unknown; status: number; continuity: string | null }[];

beforeEach(async () => {
  requests = [];
  system = await startWholeSystem();
  client = new Anthropic({
    baseURL: system.url,
    apiKey: "unused",
    maxRetries: 0,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      const { thread } = JSON.parse(String(init?.body));
      const continuity = response.headers.get("x-curlew-continuity");
      requests.push({ thread, status: response.status, continuity });
      return response;
    },
  });
});
afterEach(() => system.close());

const weather = betaTool({
  name: "weather",
  description: "Tells the weather.",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  run: ({ city }) => `rain in ${city}`,
});
const add = betaZodTool({
  name: "add",
  description: "Adds.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => [{ type: "text" as const, text: `sum ${a + b}` }],
});
const broken = betaTool({
  name: "broken",
  description: "Never works.",
  inputSchema: { type: "object", properties: {} },
  run: () => {
    throw new Error("out of order");
  },
});
const ask = (content: string) => ({
  model: "auto",
  max_tokens: 1_000,
  messages: [{ role: "user" as const, content }],
});
const textOf = (message: { content: readonly { type: string; text?: string }[] }) =>
  message.content.map((block) => (block.type === "text" ? block.text : "")).join("");

const question =
  '[[say Looking.]] [[call weather {"city":"Kiel"}]] [[call add {"a":2,"b":3}]] then [[call broken {}]] then [[say Done.]]';

describe.each([{ stream: false }, { stream: true }])("the tool runner (stream: $stream)", ({ stream }) => {
  it("completes all tool rounds on one run, and falls back from the threads that it asks for", async () => {
    const runner = client.beta.messages.toolRunner({ ...ask(question), tools: [weather, add, broken], stream });
    const message = await runner.runUntilDone();
    expect(textOf(message)).toContain("out of order");
    expect(message.stop_reason).toBe("end_turn");
    const said = JSON.stringify(runner.params.messages.filter(({ role }) => role === "assistant"));
    for (const part of ["Looking.", "Result of weather: rain in Kiel", "Result of add: sum 5"]) {
      expect(said).toContain(part);
    }
    expect(requests.map(({ thread, status }) => [Boolean(thread), status])).toEqual([
      [true, 400],
      [false, 200],
      [false, 200],
      [false, 200],
    ]);
    expect(requests.slice(2).map(({ continuity }) => continuity)).toEqual(["warm", "warm"]);
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAbandoned: 0, runsOpen: 0 });
  });
});

describe("a thread", () => {
  it("is refused once, and then sends the whole conversation itself", async () => {
    const thread = client.beta.messages.thread({
      model: "auto",
      max_tokens: 1_000,
      system: "Be brief.",
      unsupportedRequestBehavior: "continue_unthreaded",
    });
    const first = await thread.send({ role: "user", content: "[[say one]]" });
    const second = await thread.stream({ role: "user", content: "[[say two]]" }).finalMessage();
    expect([textOf(first), textOf(second)]).toEqual(["one", "two"]);
    expect(requests).toEqual([
      { thread: { type: "create" }, status: 400, continuity: null },
      { thread: undefined, status: 200, continuity: "cold:new" },
      { thread: undefined, status: 200, continuity: "warm" },
    ]);
  });
});
