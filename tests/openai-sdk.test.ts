import OpenAI, { APIError, APIUserAbortError, AuthenticationError, BadRequestError, NotFoundError } from "openai";
import { beforeEach, describe, expect, it } from "vitest";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";

const system = startedOnce(() => startWholeSystem());
const client = startedOnce(() => new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 }));
beforeEach(() => system.simulator.reset());

const ask = (content: string) => ({ model: "auto", messages: [{ role: "user" as const, content }] });

describe("the official openai package", () => {
  it("gets an answer in one piece, with true usage", async () => {
    const completion = await client.chat.completions.create(
      ask("[[usage 1200 34 1000 0 7]] [[think hm]] [[say Grüße, 🦆]]"),
    );
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "Grüße, 🦆" },
    });
    expect(completion.choices[0]?.message).toMatchObject({ reasoning_content: "hm" });
    expect(completion.usage).toMatchObject({
      prompt_tokens: 1200,
      completion_tokens: 34,
      total_tokens: 1234,
      prompt_tokens_details: { cached_tokens: 1000 },
      completion_tokens_details: { reasoning_tokens: 7 },
    });
    expect(completion.model).toBe("auto");
  });

  it("streams an answer, with usage when asked for", async () => {
    const stream = await client.chat.completions.create({
      ...ask("[[usage 10 5 0 0 0]] [[say one two three four]]"),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let finish: string | null | undefined;
    let total: number | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      finish = chunk.choices[0]?.finish_reason ?? finish;
      total = chunk.usage?.total_tokens ?? total;
    }
    expect({ text, finish, total }).toEqual({ text: "one two three four", finish: "stop", total: 15 });
  });

  it("streams through its own helper", async () => {
    const runner = client.chat.completions.stream(ask("[[say by the helper]]"));
    expect(await runner.finalContent()).toBe("by the helper");
  });

  it("tells the model system, history and images", async () => {
    const completion = await client.chat.completions.create({
      model: "auto",
      messages: [
        { role: "developer", content: "You are a heron named Ardea." },
        { role: "user", content: [{ type: "text", text: "I am Kim." }] },
        { role: "assistant", content: "Hello Kim." },
        {
          role: "user",
          content: [
            { type: "text", text: "Who are you?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
          ],
        },
      ],
    });
    expect(completion.choices[0]?.message.content).toContain("heron named Ardea");
  });

  it("aborts, and the upstream run is reset at once", async () => {
    const stream = await client.chat.completions.create({ ...ask("[[say begun]] [[wait 60000]]"), stream: true });
    await stream[Symbol.asyncIterator]().next();
    stream.controller.abort();
    await expect.poll(() => system.simulator.stats().cancelled).toBe(1);
    expect(system.simulator.stats().runsOpen).toBe(0);
  });

  it("aborts a request that does not stream", async () => {
    const leaving = new AbortController();
    const completion = client.chat.completions.create(ask("[[wait 60000]]"), { signal: leaving.signal });
    const aborted = expect(completion).rejects.toBeInstanceOf(APIUserAbortError);
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(1);
    leaving.abort();
    await aborted;
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });

  it("throws its own classes for our errors", async () => {
    await expect(client.chat.completions.create({ ...ask("hi"), model: "gpt-nonsense" })).rejects.toBeInstanceOf(
      NotFoundError,
    );
    await expect(client.chat.completions.create({ model: "auto", messages: [] })).rejects.toBeInstanceOf(
      BadRequestError,
    );
    await expect(
      client.chat.completions.create(ask("[[fail unauthenticated ERROR_NOT_LOGGED_IN]]")),
    ).rejects.toBeInstanceOf(AuthenticationError);
    await expect(
      client.chat.completions.create(ask("[[fail resource_exhausted ERROR_PRO_USER_USAGE_LIMIT]]")),
    ).rejects.toMatchObject({
      status: 429,
      code: "insufficient_quota",
    });
  });

  it("throws an error that comes in the middle of a stream, after the text before it", async () => {
    const stream = await client.chat.completions.create({
      ...ask("[[say so far]] [[fail permission_denied]]"),
      stream: true,
    });
    let text = "";
    const reading = (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    })();
    await expect(reading).rejects.toBeInstanceOf(APIError);
    expect(text).toBe("so far");
  });

  it("lists and retrieves models", async () => {
    const models = await client.models.list();
    const ids = models.data.map(({ id }) => id);
    expect(ids[0]).toBe("auto");
    expect(ids).toContain("composer-2.5");
    expect(await client.models.retrieve("composer-2.5")).toMatchObject({ id: "composer-2.5", object: "model" });
    await expect(client.models.retrieve("nope")).rejects.toBeInstanceOf(NotFoundError);
  });
});
