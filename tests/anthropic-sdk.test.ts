import Anthropic, {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  OverloadedError,
  RateLimitError,
} from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";

const system = startedOnce(() => startWholeSystem({}, { retries: 0 }));
const client = startedOnce(() => new Anthropic({ baseURL: system.url, apiKey: "unused", maxRetries: 0 }));
beforeEach(() => system.simulator.reset());

const ask = (content: string) => ({
  model: "auto",
  max_tokens: 1_000,
  messages: [{ role: "user" as const, content }],
});

describe("the official @anthropic-ai/sdk package", () => {
  it("gets a whole answer, with accurate usage and the request id", async () => {
    const message = await client.messages.create({
      ...ask("[[usage 1200 34 1000 50 7]] [[think hm]] [[say Grüße, 🦆]]"),
      thinking: { type: "adaptive" },
    });
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_[0-9a-f]+$/),
      type: "message",
      role: "assistant",
      model: "auto",
      content: [
        { type: "thinking", thinking: "hm", signature: expect.stringMatching(/./) },
        { type: "text", text: "Grüße, 🦆" },
      ],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: {
        input_tokens: 150,
        cache_read_input_tokens: 1_000,
        cache_creation_input_tokens: 50,
        output_tokens: 34,
        output_tokens_details: { thinking_tokens: 7 },
      },
    });
    expect(message._request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("streams through its own helper, which sees text, thinking and the whole message", async () => {
    const seen = { text: "", thinking: "", blocks: 0 };
    const stream = client.messages
      .stream({
        ...ask("[[usage 100 20 60 5 8]] [[think step by step]] [[say by the helper]]"),
        thinking: { type: "enabled", budget_tokens: 2_000 },
      })
      .on("text", (delta) => {
        seen.text += delta;
      })
      .on("thinking", (delta) => {
        seen.thinking += delta;
      })
      .on("contentBlock", () => {
        seen.blocks++;
      });
    expect(await stream.finalText()).toBe("by the helper");
    expect(seen).toEqual({ text: "by the helper", thinking: "step by step", blocks: 2 });
    const message = await stream.finalMessage();
    expect(message.content[0]).toMatchObject({ type: "thinking", signature: expect.stringMatching(/./) });
    expect(message.usage).toMatchObject({ input_tokens: 35, cache_read_input_tokens: 60, output_tokens: 20 });
  });

  it.each<[string, Partial<Anthropic.MessageCreateParamsNonStreaming>, new (...args: never[]) => Error, object]>([
    ["model", { model: "gpt-nonsense" }, NotFoundError, { status: 404, type: "not_found_error" }],
    ["conversation", { messages: [] }, BadRequestError, { status: 400, type: "invalid_request_error" }],
    ["login", ask("[[fail unauthenticated ERROR_NOT_LOGGED_IN]]"), AuthenticationError, { status: 401 }],
    [
      "quota",
      ask("[[fail resource_exhausted ERROR_PRO_USER_USAGE_LIMIT]]"),
      RateLimitError,
      { status: 429, type: "rate_limit_error" },
    ],
    [
      "overload",
      ask("[[fail unavailable ERROR_SLOW_POOL]]"),
      OverloadedError,
      { status: 529, type: "overloaded_error" },
    ],
  ])("throws its own classes for our errors: %s", async (_, fields, errorClass, properties) => {
    const failing = client.messages.create({ ...ask("hi"), ...fields });
    await expect(failing).rejects.toBeInstanceOf(errorClass);
    await expect(failing).rejects.toMatchObject({ ...properties, requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it("throws a mid-stream error after delivering the text before it", async () => {
    const stream = client.messages.stream(ask("[[say so far]] [[fail permission_denied]]"));
    let text = "";
    stream.on("text", (delta) => {
      text += delta;
    });
    await expect(stream.done()).rejects.toMatchObject({ type: "permission_error" });
    expect(text).toBe("so far");
  });

  it("gets an answer that fits its schema", async () => {
    const Bird = z.object({ name: z.string(), legs: z.number() });
    const { parsed_output } = await client.messages.parse({
      ...ask("A bird?"),
      output_config: { format: zodOutputFormat(Bird) },
    });
    expect(Bird.parse(parsed_output)).toEqual(parsed_output);
  });

  it("lists and retrieves models", async () => {
    const ids: string[] = [];
    for await (const model of client.models.list({ limit: 3 })) ids.push(model.id);
    expect(ids[0]).toBe("auto");
    expect(ids).toContain("composer-2.5");
    expect(await client.models.retrieve("composer-2.5")).toMatchObject({ id: "composer-2.5", type: "model" });
    await expect(client.models.retrieve("nope")).rejects.toMatchObject({ status: 404, type: "not_found_error" });
  });
});
