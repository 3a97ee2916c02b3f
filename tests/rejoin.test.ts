import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { it } from "vitest";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startCuttingProxy } from "../testing/network/cutting-proxy.js";

const TURNS = 20;
const words = (turn: number) => `turn ${turn}: ${"naïve words that stream one by one, ".repeat(1 + (turn % 4))}end`;

/** A deterministic number from 0 to 1. */
function chance(turn: number): number {
  return (Math.imul(turn + 1, 0x9e3779b1) >>> 0) / 2 ** 32;
}

/** Repeats the request until the reply is complete, as an application would. */
async function untilWhole<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
  for (let attempts = 0; ; attempts++) {
    try {
      return await ask();
    } catch (thrown) {
      if (attempts === 3) throw thrown;
    }
  }
}

const openai = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused" });
const anthropic = (url: string) => new Anthropic({ baseURL: url, apiKey: "unused" });
const body = (content: string) => ({ model: "auto", messages: [{ role: "user" as const, content }] });
const limited = (content: string) => ({ ...body(content), max_tokens: 1_000 });

const clients: { name: string; ask: (url: string, content: string) => Promise<string> }[] = [
  {
    name: "openai, streamed",
    ask: async (url, content) => (await openai(url).chat.completions.stream(body(content)).finalContent()) ?? "",
  },
  {
    name: "openai, whole",
    async ask(url, content) {
      const { choices } = await openai(url).chat.completions.create(body(content));
      return choices[0]?.message.content ?? "";
    },
  },
  {
    name: "openai, responses",
    async ask(url, input) {
      const response = await openai(url).responses.stream({ model: "auto", input }).finalResponse();
      return response.output_text;
    },
  },
  {
    name: "anthropic, streamed",
    ask: (url, content) => anthropic(url).messages.stream(limited(content)).finalText(),
  },
  {
    name: "anthropic, whole",
    async ask(url, content) {
      const message = await anthropic(url).messages.create(limited(content));
      return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    },
  },
];

// Side by side, because the official packages wait before they ask again.
it.concurrent.for(clients)(
  "$name, behind a proxy that cuts each first attempt at a random byte, gets every text complete, with one run per turn",
  async ({ ask }, { expect, onTestFinished }) => {
    const system = await startWholeSystem({ deltaMs: 1 });
    onTestFinished(system.close);
    const proxy = await startCuttingProxy(system.url);
    onTestFinished(proxy.close);
    // Measures the longest answer on the wire, so that the cuts can fall anywhere in it.
    await ask(proxy.url, `[[say ${words(3)}]]`);
    const longestBytes = proxy.lastBytes;
    system.simulator.reset();
    for (let turn = 0; turn < TURNS; turn++) {
      proxy.cutNextAt(1 + Math.floor(chance(turn) * longestBytes));
      const said = await untilWhole(() => ask(proxy.url, `[[say ${words(turn)}]]`));
      expect(said).toBe(words(turn));
      expect({ turn, runs: system.simulator.stats().runs }).toEqual({ turn, runs: turn + 1 });
    }
    expect(proxy.cuts).toBeGreaterThan(TURNS / 2);
  },
);
