import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { type FirstAttemptCutter, startFirstAttemptCutter } from "../testing/network/first-attempt-cutter.js";
import { Random } from "./replay/random.js";

/** Every reply is longer than this, so that each first attempt is really cut: in its head, or anywhere in its body. */
const MAX_CUT_BYTES = 1_400;
const TURNS = 12;
const random = new Random(15);
const long = (mark: string) => `${mark} ${"and so on ".repeat(150)}the end of ${mark}.`;

let system: WholeSystem;
let cutter: FirstAttemptCutter;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  system = await startWholeSystem();
  cutter = await startFirstAttemptCutter(system.url, () => random.between(0, MAX_CUT_BYTES));
  openai = new OpenAI({ baseURL: `${cutter.url}/v1`, apiKey: "unused" });
  anthropic = new Anthropic({ baseURL: cutter.url, apiKey: "unused" });
});
afterAll(async () => {
  await cutter.close();
  await system.close();
});
beforeEach(() => system.simulator.reset());

type Message = { role: "user" | "assistant"; content: string };

const asks: Record<string, (messages: Message[]) => Promise<string>> = {
  "openai, streamed": async (messages) => {
    let text = "";
    const stream = await openai.chat.completions.create({ model: "auto", messages, stream: true });
    let finish: string | null | undefined;
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? "";
      finish = choices[0]?.finish_reason ?? finish;
    }
    if (finish !== "stop") throw new Error("broken off");
    return text;
  },
  "openai, whole": async (messages) => {
    const { choices } = await openai.chat.completions.create({ model: "auto", messages });
    return choices[0]?.message.content ?? "";
  },
  "anthropic, streamed": (messages) =>
    anthropic.messages.stream({ model: "auto", max_tokens: 10_000, messages }).finalText(),
  "anthropic, whole": async (messages) => {
    const { content } = await anthropic.messages.create({ model: "auto", max_tokens: 10_000, messages });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  },
};

/** The packages repeat a request that broke off before its head was whole. What broke later, their callers repeat. */
async function untilWhole(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch {
    return ask();
  }
}

describe.each(Object.keys(asks))("a conversation by %s, whose first attempts all break off", (name) => {
  it("comes to its end with every text complete, and costs no more runs than attempts", async () => {
    const messages: Message[] = [];
    const cutBefore = cutter.cuts;
    for (let turn = 0; turn < TURNS; turn++) {
      const words = long(`${name} ${turn}`);
      messages.push({ role: "user", content: `[[say ${words}]]` });
      const content = await untilWhole(() => asks[name]?.(messages) ?? Promise.reject());
      expect(content).toBe(words);
      messages.push({ role: "assistant", content });
    }
    const cuts = cutter.cuts - cutBefore;
    expect(cuts).toBe(TURNS);
    expect(system.simulator.stats().runs).toBeLessThanOrEqual(TURNS + cuts);
  });
});

describe("equal requests that are not retries", () => {
  it("have a run each, at the same time or one after the other", async () => {
    const direct = new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 });
    const ask = async (index: number) => {
      const messages = [{ role: "user" as const, content: `[[say Pair ${index}.]]` }];
      const { id, choices } = await direct.chat.completions.create({ model: "auto", messages });
      expect(choices[0]?.message.content).toBe(`Pair ${index}.`);
      return id;
    };
    for (let pair = 0; pair < 100; pair++) {
      const ids = pair % 2 === 0 ? await Promise.all([ask(pair), ask(pair)]) : [await ask(pair), await ask(pair)];
      expect(new Set(ids).size).toBe(2);
    }
    expect(system.simulator.stats()).toMatchObject({ runs: 200, conversations: 200 });
  });
});
