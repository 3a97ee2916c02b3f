import Anthropic, {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  OverloadedError,
  RateLimitError,
} from "@anthropic-ai/sdk";
import { beforeEach, describe, expect, it } from "vitest";
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
});
