import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

let system: WholeSystem;
let client: OpenAI;

beforeEach(async () => {
  system = await startWholeSystem();
  client = new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 });
});
afterEach(() => system.close());

const ask = (content: string) => ({ model: "auto", messages: [{ role: "user" as const, content }] });
const Point = z.object({ x: z.number(), label: z.string() });

describe("answers in a form", () => {
  it("are parsed by a zod schema", async () => {
    const completion = await client.chat.completions.parse({
      ...ask("Where is it?"),
      response_format: zodResponseFormat(Point, "point"),
    });
    expect(completion.choices[0]?.message.parsed).toEqual({ x: expect.any(Number), label: expect.any(String) });
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("are parsed while they stream", async () => {
    const stream = client.chat.completions.stream({
      ...ask("Where is it?"),
      response_format: zodResponseFormat(Point, "point"),
    });
    const completion = await stream.finalChatCompletion();
    expect(Point.safeParse(completion.choices[0]?.message.parsed).success).toBe(true);
  });

  it("follow a plain JSON schema too", async () => {
    const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
    const completion = await client.chat.completions.parse({
      ...ask("Is it?"),
      response_format: { type: "json_schema", json_schema: { name: "verdict", schema } },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? "")).toEqual({ ok: expect.any(Boolean) });
  });

  it("follow a schema that stands directly in the format, and plain JSON", async () => {
    const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
    const formats = [{ type: "json_object", schema }, { type: "json_schema", schema }, { type: "json_object" }];
    for (const response_format of formats) {
      const completion = await client.chat.completions.create({
        ...ask("Is it?"),
        response_format: response_format as { type: "json_object" },
      });
      const answer: unknown = JSON.parse(completion.choices[0]?.message.content ?? "");
      if ("schema" in response_format) expect(answer).toEqual({ ok: expect.any(Boolean) });
    }
  });

  it("are repaired once, and refused when that does not help", async () => {
    const response_format = zodResponseFormat(Point, "point");
    const repaired = await client.chat.completions.parse({ ...ask("[[badjson 1]] Where is it?"), response_format });
    expect(Point.safeParse(repaired.choices[0]?.message.parsed).success).toBe(true);
    system.simulator.reset();
    const repeating = client.withOptions({ maxRetries: 2 });
    const asking = repeating.chat.completions.parse({ ...ask("[[badjson 9]] Where is it?"), response_format });
    await expect(asking).rejects.toMatchObject({ code: "format_not_met" });
    expect(system.simulator.stats().runs).toBe(2);
  });
});

describe("limits", () => {
  it("stop before a text, and cancel the run", async () => {
    const completion = await client.chat.completions.create({
      ...ask("[[say one two END three]] [[wait 60000]]"),
      stop: ["END"],
    });
    expect(completion.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "one two " } });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });

  it("cut an answer at its length", async () => {
    const completion = await client.chat.completions.create({ ...ask("[[stream 500]]"), max_completion_tokens: 10 });
    expect(completion.choices[0]?.finish_reason).toBe("length");
    expect(completion.choices[0]?.message.content?.length).toBeLessThan(200);
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });

  it("end the helper's stream with its own error for half an answer in a form", async () => {
    const parsing = client.chat.completions.parse({
      ...ask("Where is it?"),
      max_completion_tokens: 1,
      response_format: zodResponseFormat(Point, "point"),
    });
    await expect(parsing).rejects.toThrow(/length/);
  });
});
