import Anthropic from "@anthropic-ai/sdk";
import { betaZodOutputFormat } from "@anthropic-ai/sdk/helpers/beta/zod";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";

const system = startedOnce(() => startWholeSystem());
const client = startedOnce(() => new Anthropic({ baseURL: system.url, apiKey: "unused", maxRetries: 0 }));
beforeEach(() => system.simulator.reset());

const ask = (content: string) => ({
  model: "auto",
  max_tokens: 1_000,
  messages: [{ role: "user" as const, content }],
});

describe("an answer ends", () => {
  it("before a stop sequence, which it names", async () => {
    const request = { ...ask("[[say one two END three]]"), stop_sequences: ["STOP", "END"] };
    const wanted = {
      content: [{ type: "text", text: "one two " }],
      stop_reason: "stop_sequence",
      stop_sequence: "END",
    };
    expect(await client.messages.create(request)).toMatchObject(wanted);
    expect(await client.messages.stream(request).finalMessage()).toMatchObject(wanted);
  });

  it("at max_tokens", async () => {
    const request = { ...ask("[[stream 5000]]"), max_tokens: 20 };
    for (const message of [
      await client.messages.create(request),
      await client.messages.stream(request).finalMessage(),
    ]) {
      expect(message.stop_reason).toBe("max_tokens");
      expect(JSON.stringify(message.content).length).toBeLessThan(400);
    }
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });
});

describe("an answer fits its format", () => {
  const Bird = z.object({ name: z.string(), legs: z.number(), colours: z.array(z.string()) });

  it("through parse, with a schema of zod's or in JSON", async () => {
    const byZod = await client.messages.parse({ ...ask("A bird?"), output_config: { format: zodOutputFormat(Bird) } });
    expect(Bird.parse(byZod.parsed_output)).toEqual(byZod.parsed_output);
    const format = jsonSchemaOutputFormat({
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
      additionalProperties: false,
    });
    const byJson = await client.messages.parse({ ...ask("A name?"), output_config: { format } });
    expect(byJson.parsed_output).toEqual({ name: expect.any(String) });
  });

  it("through the stream helper and through the beta's older field", async () => {
    const stream = client.messages.stream({ ...ask("A bird?"), output_config: { format: zodOutputFormat(Bird) } });
    expect(Bird.safeParse((await stream.finalMessage()).parsed_output).success).toBe(true);
    const beta = await client.beta.messages.parse({ ...ask("A bird?"), output_format: betaZodOutputFormat(Bird) });
    expect(Bird.safeParse(beta.parsed_output).success).toBe(true);
  });

  it("after one repair, or the request fails", async () => {
    const output_config = { format: zodOutputFormat(Bird) };
    const mended = await client.messages.parse({ ...ask("[[badjson 1]] A bird?"), output_config });
    expect(Bird.safeParse(mended.parsed_output).success).toBe(true);
    await expect(client.messages.parse({ ...ask("[[badjson 5]] A bird?"), output_config })).rejects.toMatchObject({
      status: 502,
      error: { type: "error", error: { type: "api_error", code: "format_not_met" } },
    });
  });
});
