import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { openWholeSystem, startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";

/** Limit for one failing turn with the clients' defaults: the turn and the gateway's own retries. */
const MAX_RUNS = 4;

const chatBody = (content: string) => ({ model: "auto", messages: [{ role: "user" as const, content }] });
const dialects: [string, string, (content: string) => object][] = [
  ["Chat Completions", "/v1/chat/completions", chatBody],
  ["Responses", "/v1/responses", (input) => ({ model: "auto", input })],
  ["Messages", "/v1/messages", (content) => ({ ...chatBody(content), max_tokens: 1_000 })],
];

async function post({ url }: WholeSystem, path: string, body: object) {
  const response = await postJson(`${url}${path}`, body);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    code: error.code,
    message: error.message,
    shouldRetry: header("x-should-retry"),
    retryAfter: header("retry-after"),
    breaker: header("x-curlew-breaker"),
  };
}

type Caller = (url: string, content: string) => Promise<unknown>;

/** The official packages with their defaults. */
const callers: Caller[] = [
  (url, content) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "x" }).chat.completions.create(chatBody(content)),
  async (url, input) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "x" });
    const stream = await client.responses.create({ model: "auto", input, stream: true });
    // On a busy machine the stream may have begun before the failure; the error is then in the stream.
    for await (const event of stream) expect(event).not.toMatchObject({ type: "response.completed" });
  },
  (baseURL, content) =>
    new Anthropic({ baseURL, apiKey: "x" }).messages.create({ ...chatBody(content), max_tokens: 1_000 }),
];

it("the official packages do not multiply the retries of a failing turn at Cursor", async () => {
  const system = await openWholeSystem();
  const cases = ["[[fail internal]]", "[[drop]]"].flatMap((directive) => callers.map((ask) => ({ ask, directive })));
  await Promise.all(
    cases.map(({ ask, directive }, at) => expect(ask(system.url, `${at} ${directive}`)).rejects.toThrow()),
  );
  expect(system.simulator.stats().runs).toBe(cases.length * MAX_RUNS);
});

/** The wait is long enough that the next request falls into it on any machine. */
const BUSY = "raw/sim-error-63-unavailable.retry25";

describe("in every dialect", () => {
  const system = startedOnce(() => startWholeSystem({}, { retries: 1 }));

  it.each(dialects)("%s: an error after retries asks clients not to retry", async (name, path, body) => {
    const failed = await post(system, path, body(`${name}: [[fail internal]]`));
    expect(failed).toMatchObject({ status: 502, shouldRetry: "false", retryAfter: "2", breaker: null });
  });

  it.each(dialects)("%s: repeating it gets the same error without asking Cursor", async (name, path, body) => {
    const { runs } = system.simulator.stats();
    const failing = { ...body(name), model: BUSY };
    const first = await post(system, path, failing);
    expect(first).toMatchObject({ code: "overloaded", shouldRetry: null, retryAfter: "25", breaker: null });
    const again = await post(system, path, failing);
    expect(again).toMatchObject({ status: first.status, code: first.code, shouldRetry: null, breaker: "open" });
    expect(again.message).toContain("Curlew did not ask Cursor again");
    expect(system.simulator.stats().runs).toBe(runs + 1);
  });
});
