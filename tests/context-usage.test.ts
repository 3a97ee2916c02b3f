import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

let system: WholeSystem;
afterEach(() => system.close());

const CALLS = 12;
const program = new URL("../testing/programs/mcp-server.js", import.meta.url).pathname;
const servers = { test: { command: process.execPath, args: [program], timeoutMs: 15_000 } };
const filler = "The heron stands in the reeds. ".repeat(2_620); // 81,000 characters
const twelve = (call: (index: number) => string) => Array.from({ length: CALLS }, (_, index) => call(index)).join(" ");
const prompts = {
  "that Curlew runs": twelve((index) => `[[call mcp__test__echo {"text":"${index}"}]] then`),
  "of Cursor's own tools, refused": twelve((index) => `[[native shell {"command":"ls ${index}"}]]`),
};

const Turn = z.object({ curlew_turn: z.object({ input_tokens: z.int(), output_tokens: z.int() }).optional() });

interface Reported {
  prompt: number;
  cached: number;
  output: number;
  turn: { input_tokens: number; output_tokens: number } | undefined;
  text: string;
}

async function ask(words: string, before?: { words: string; answer: string }): Promise<Reported> {
  const client = new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused" });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: words }];
  if (before !== undefined) {
    messages.unshift({ role: "user", content: before.words }, { role: "assistant", content: before.answer });
  }
  const { data, response } = await client.chat.completions.create({ model: "auto", messages }).withResponse();
  const { prompt_tokens: prompt = 0, completion_tokens: output = 0, prompt_tokens_details } = data.usage ?? {};
  const { curlew_turn: turn } = Turn.parse(data.usage);
  const head = response.headers.get("x-curlew-turn-usage");
  if (turn === undefined) expect(head).toBeNull();
  else expect(head).toContain(`input_tokens=${turn.input_tokens} output_tokens=${turn.output_tokens} `);
  const text = data.choices[0]?.message.content ?? "";
  return { prompt, cached: prompt_tokens_details?.cached_tokens ?? 0, output, turn, text };
}

it.each(Object.entries(prompts))(
  "a reply with 12 calls %s reports the context of its last model call, and the sum beside it",
  async (_kind, calls) => {
    system = await startWholeSystem({}, { mcp: { servers } });
    const words = `${filler} ${calls} [[say Done.]]`;
    const first = await ask(words);
    const { inputTokens, cacheReadTokens } = system.simulator.stats();
    expect(first.text).toMatch(/Done\.$/);
    const next = await ask("[[say And on.]]", { words, answer: first.text });

    // The next turn is one model call; the last call of the first had all of it but the last message.
    expect(next.turn).toBeUndefined();
    expect(next.prompt).toBe(system.simulator.stats().inputTokens - inputTokens);
    expect(first.prompt).toBeLessThanOrEqual(next.prompt);
    expect(first.prompt).toBeGreaterThan(next.prompt * 0.98);
    expect(first.prompt).toBeLessThan(25_000);
    expect(first.turn?.input_tokens).toBe(inputTokens);
    expect(inputTokens).toBeGreaterThan(first.prompt * CALLS);
    expect(first.output).toBe(first.turn?.output_tokens);
    for (const { cached, prompt } of [first, next]) expect(cached).toBeLessThanOrEqual(prompt);
    expect(first.cached / first.prompt).toBeCloseTo(cacheReadTokens / inputTokens, 2);
  },
);

describe("a reply whose answer was invalid and requested again", () => {
  it("reports the usage of both runs", async () => {
    system = await startWholeSystem();
    const client = new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused" });
    const { usage } = await client.chat.completions.create({
      model: "auto",
      messages: [{ role: "user", content: "[[badjson 1]] Give me an object." }],
      response_format: { type: "json_object" },
    });
    const { runs, inputTokens } = system.simulator.stats();
    expect(runs).toBe(2);
    expect(Turn.parse(usage).curlew_turn?.input_tokens).toBe(inputTokens);
    expect(usage?.prompt_tokens).toBeLessThan(inputTokens);
  });
});
