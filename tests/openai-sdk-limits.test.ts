import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());
const client = startedEach(() => new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 }));

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
  it("end the helper's stream with its own error for half an answer in a form", async () => {
    const parsing = client.chat.completions.parse({
      ...ask("Where is it?"),
      max_completion_tokens: 1,
      response_format: zodResponseFormat(Point, "point"),
    });
    await expect(parsing).rejects.toThrow(/length/);
  });
});
