import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentClientMessageSchema } from "../src/gen/agent_v1_pb.js";
import { openStore } from "../src/store/index.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

const SYSTEM = "You count birds.";
const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: "function",
    function: {
      name: "tide",
      description: "Tells the tide. The marker is heron-17.",
      parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
    },
  },
];
const LINE = "- tide(at: string): Tells the tide. The marker is heron-17.";

let system: WholeSystem;
/** The rules of each request context that reached Cursor, without our own about built-in tools. */
let rules: string[][];
beforeEach(async () => {
  rules = [];
  system = await startWholeSystem({ onClientMessage: (payload) => rules.push(...rulesIn(payload)) });
});
afterEach(() => system.close());

function rulesIn(payload: Uint8Array): string[][] {
  const { message } = fromBinary(AgentClientMessageSchema, payload);
  if (message.case !== "execClientMessage" || message.value.message.case !== "requestContextResult") return [];
  const { result } = message.value.message.value;
  const sent = result.case === "success" ? (result.value.requestContext?.rules ?? []) : [];
  return [sent.slice(1).map(({ content }) => content)];
}

/** How many checkpoints another gateway would find by now. */
async function checkpointsOnDisk(): Promise<number> {
  const { store } = await openStore({ folder: join(system.home, "state"), now: Date.now });
  const { checkpoints } = store.stats();
  await store.close();
  return checkpoints;
}

type Message = OpenAI.ChatCompletionMessageParam;

/** A client that keeps its conversation, as all of them do. */
class Talk {
  readonly #url: string;
  readonly #model: string;
  readonly #offered: OpenAI.ChatCompletionTool[];
  readonly #messages: Message[] = [{ role: "system", content: SYSTEM }];

  constructor(model: string, { url = system.url, offered = tools } = {}) {
    this.#url = url;
    this.#model = model;
    this.#offered = offered;
  }

  moveTo(url: string): Talk {
    const moved = new Talk(this.#model, { url, offered: this.#offered });
    moved.#messages.splice(0, 1, ...this.#messages);
    return moved;
  }

  say(content: string) {
    return this.send({ role: "user", content });
  }

  async send(...added: Message[]) {
    this.#messages.push(...added);
    const client = new OpenAI({ baseURL: `${this.#url}/v1`, apiKey: "unused" });
    const { data, response } = await client.chat.completions
      .create({ model: this.#model, messages: this.#messages, tools: this.#offered })
      .withResponse();
    const message = data.choices[0]?.message;
    if (message !== undefined) this.#messages.push(message);
    return { message, text: message?.content ?? "", continuity: response.headers.get("x-curlew-continuity") };
  }
}

describe("a model that gets its tools by name alone", () => {
  it("reads a line about each in the rule with the system prompt", async () => {
    await new Talk("composer-2.5").say("[[say Hello.]]");
    expect(rules).toEqual([[expect.stringMatching(/^You count birds\.\n\nTools that the user's application offers/)]]);
    expect(rules[0]?.[0]?.split("\n").at(-1)).toBe(LINE);
  });

  it.each([
    ["another model", "gpt-5.5-medium", tools],
    ["no tools", "composer-2.5", []],
  ])("is the only one that does: %s", async (_, model, offered) => {
    await new Talk(model, { offered }).say("[[say Hello.]]");
    expect(rules).toEqual([[SYSTEM]]);
  });

  it("calls them, and the conversation stays warm with the same bytes in every turn", async () => {
    const talk = new Talk("composer-2.5");
    const { message } = await talk.say('[[call tide {"at":"noon"}]] then [[say High.]]');
    const [call] = message?.tool_calls ?? [];
    expect(call).toMatchObject({ function: { name: "tide", arguments: '{"at":"noon"}' } });
    const answered = await talk.send({ role: "tool", tool_call_id: call?.id ?? "", content: "high" });
    expect(answered).toMatchObject({ text: expect.stringMatching(/High\.$/), continuity: "warm" });
    for (const turn of [2, 3]) expect((await talk.say(`[[say Turn ${turn}.]]`)).continuity).toBe("warm");
    expect(system.simulator.stats().runs).toBe(3);
    expect(new Set(rules.map(([rule]) => rule)).size).toBe(1);
    expect(rules[0]?.[0]).toContain(LINE);
  });

  it("knows what a tool is for, and which arguments it takes, by these lines alone", async () => {
    const withheld = await startWholeSystem({ dynamicTools: true });
    try {
      const asked = "What is the description of the tool tide?";
      const told = await new Talk("composer-2.5", { url: withheld.url }).say(asked);
      expect(told.text).toContain("heron-17");
      const untold = await new Talk("gpt-5.5-medium", { url: withheld.url }).say(asked);
      expect(untold.text).toContain("I have no description of tide.");
      const { message } = await new Talk("composer-2.5", { url: withheld.url }).say("Please use the tide tool.");
      expect(message?.tool_calls).toMatchObject([{ function: { name: "tide", arguments: '{"at":"sample"}' } }]);
    } finally {
      await withheld.close();
    }
  });

  it("is known from the profile, and the conversation is found again when that changes", async () => {
    const talk = new Talk("composer-2.5");
    await talk.say("[[say Hello.]]");
    await expect.poll(checkpointsOnDisk).toBe(1);
    const overlay = {
      families: { "composer-2.5": { dynamicTools: false }, auto: { match: ["default"], dynamicTools: true } },
    };
    writeFileSync(join(system.home, "cursor.json"), JSON.stringify(overlay), { mode: 0o600 });
    const url = await system.startAnother();
    expect((await talk.moveTo(url).say("[[say Hello again.]]")).continuity).toBe("warm");
    expect(rules.map(([rule]) => rule?.includes(LINE))).toEqual([true, false]);
    await new Talk("auto", { url }).say("[[say Hello.]]");
    expect(rules.at(-1)?.[0]).toContain(LINE);
  });
});
