import { describe, expect, it, vi } from "vitest";
import type { ScriptStep } from "../../../../testing/backends/scripted/index.js";
import { parseSse } from "../../../../testing/clients/parse-sse.js";
import { askedServer, gate, type ServerOptions, text } from "../../../../testing/gateway/asked-server.js";
import { sampleUsage } from "../../../../testing/samples/sample-usage.js";
import { type ErrorCode, GatewayError } from "../../turn/error.js";
import type { Batch } from "../../turn/event.js";

const path = "/v1/chat/completions";
const question = { model: "auto", messages: [{ role: "user", content: "hi" }] };
const end: Batch = [
  { type: "usage", usage: sampleUsage },
  { type: "finish", reason: "stop" },
];
const hello = [text("Hel"), text("lo é"), end];
const busy = new GatewayError("overloaded", "Cursor is busy.", { retryAfterMs: 1_200 });

async function setUp(steps: Iterable<ScriptStep>, options: ServerOptions = {}) {
  const server = await askedServer({ steps, ...options });
  const post = (fields: object = {}, headers: Record<string, string> = {}) =>
    server.post(path, { ...question, ...fields }, headers);
  return { ...server, post };
}

describe("an answer", () => {
  it("streams if requested", async () => {
    const { post, requests } = await setUp(hello);
    const response = await post({ stream: true });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    const body = await response.text();
    const events = parseSse(body);
    expect(events.at(-1)?.data).toBe("[DONE]");
    const chunks = events.slice(0, -1).map(({ data }) => JSON.parse(data));
    expect(chunks.map(({ choices }) => choices[0].delta.content ?? "").join("")).toBe("Hello é");
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(requests).toMatchObject([
      { status: 200, stream: true, batches: 3, bytes: Buffer.byteLength(body), outcome: "ok", continuity: "cold:new" },
    ]);
  });

  it.each([true, false])("names backend, model and warnings in its headers (stream: %s)", async (stream) => {
    const { post } = await setUp(hello, { backendName: "simulator" });
    const { headers } = await post({ stream, temperature: 0, tools: [{ type: "wéb\u{1f986}" }] });
    expect(headers.get("x-curlew-backend")).toBe("simulator");
    expect(headers.get("x-curlew-model")).toBe("auto");
    expect(headers.get("x-curlew-continuity")).toBe("cold:new");
    expect(headers.get("x-curlew-warnings")).toBe(
      "Not supported here and ignored: temperature. Only function and custom tools can be offered; left out: w?b??.",
    );
  });

  it("has no header without warnings, and none that a model's name could forge", async () => {
    const { post } = await setUp(hello);
    const { headers } = await post({ stream: true, model: "raw/x\r\nx-evil: 1" });
    expect(headers.get("x-curlew-warnings")).toBeNull();
    expect(headers.get("x-evil")).toBeNull();
    expect(headers.get("x-curlew-model")).toBe("x??x-evil: 1");
  });

  it.each([{ stream: false }, { stream: true }])(
    "that is whole cancels nothing at its end (stream: $stream)",
    async (fields) => {
      const { post, gateway, requests } = await setUp(hello);
      const run = vi.spyOn(gateway, "run");
      await (await post(fields)).text();
      await expect.poll(() => requests).toMatchObject([{ outcome: "ok" }]);
      expect(run.mock.calls[0]?.[1].signal.aborted).toBe(false);
    },
  );

  it("has a new id each time", async () => {
    const { post } = await setUp(hello);
    const ids = await Promise.all([1, 2, 3].map(async () => ((await (await post()).json()) as { id: string }).id));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^chatcmpl-[0-9a-f]{32}$/);
  });
});

describe("the id of a request", () => {
  it("is the client's own if valid, in the headers, the log and upstream", async () => {
    const { post, requests, backend } = await setUp(hello);
    const response = await post({}, { "x-request-id": "my-req_1.2:3" });
    expect(response.headers.get("x-request-id")).toBe("my-req_1.2:3");
    expect(requests[0]?.requestId).toBe("my-req_1.2:3");
    expect(backend.exchanges[0]?.context.requestId).toBe("my-req_1.2:3");
  });

  it.each(["", "with blank", "x".repeat(129), "a/b", "<script>"])("is a new one otherwise: %j", async (given) => {
    const { post } = await setUp(hello);
    const response = await post({}, { "x-request-id": given });
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a failure", () => {
  it.each([true, false])("before the first event is a status (stream: %s)", async (stream) => {
    const { post, requests } = await setUp([{ fail: busy }]);
    const response = await post({ stream });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("2");
    expect(response.headers.get("x-request-id")).not.toBeNull();
    expect(await response.json()).toEqual({
      error: { message: "Cursor is busy.", type: "api_error", code: "overloaded", param: null, status: 503 },
    });
    expect(requests).toMatchObject([{ status: 503, outcome: "overloaded" }]);
  });

  it.each<[ErrorCode, boolean, string | null]>([
    ["insufficient_quota", false, "false"],
    ["format_not_met", false, "false"],
    ["upstream_error", false, "false"],
    ["upstream_error", true, null],
    ["rate_limit_exceeded", false, null],
  ])("tells the official clients whether not to retry: %s", async (code, isRetryable, header) => {
    const { post } = await setUp([{ fail: new GatewayError(code, "No.", { isRetryable }) }]);
    expect((await post({})).headers.get("x-should-retry")).toBe(header);
  });

  it("that the breaker repeats is marked, in the headers and in the log", async () => {
    const fail = new GatewayError("overloaded", "Cursor is busy.", { retryAfterMs: 30_000 });
    const { post, requests, backend } = await setUp([{ fail }]);
    expect((await post({})).headers.get("x-curlew-breaker")).toBeNull();
    const again = await post({ stream: true });
    expect([again.status, again.headers.get("x-curlew-breaker")]).toEqual([503, "open"]);
    expect(await again.json()).toMatchObject({
      error: {
        code: "overloaded",
        message: expect.stringContaining("Cursor is busy. (Curlew did not ask Cursor again"),
      },
    });
    expect(requests.map(({ breaker }) => breaker)).toEqual([undefined, "open"]);
    expect(backend.exchanges).toHaveLength(1);
  });

  it("in the middle of a stream is one frame, then the end", async () => {
    const { post, requests } = await setUp([text("half"), { fail: busy }]);
    const response = await post({ stream: true });
    const events = parseSse(await response.text());
    expect(response.status).toBe(200);
    expect(events.filter(({ data }) => data.includes('"error"'))).toHaveLength(1);
    expect(JSON.parse(events.at(-1)?.data ?? "")).toMatchObject({ error: { code: "overloaded", status: 503 } });
    expect(requests).toMatchObject([{ status: 200, outcome: "overloaded" }]);
  });

  it("after the finish does not affect the answer", async () => {
    const { post, requests } = await setUp([...hello, { fail: busy }]);
    const events = parseSse(await (await post({ stream: true })).text());
    expect(events.at(-1)?.data).toBe("[DONE]");
    await expect.poll(() => requests).toMatchObject([{ outcome: "ok" }]);
  });

  it("inside Curlew is logged with its cause and shown without it", async () => {
    const steps = (function* (): Iterable<ScriptStep> {
      yield { waitFor: () => Promise.reject(new TypeError("secret detail")) };
    })();
    const { post, errors } = await setUp(steps);
    const response = await post();
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret");
    await expect.poll(() => errors).toMatchObject([{ err: expect.any(TypeError) }]);
  });

  it("inside Curlew in the middle of a stream ends the upstream too", async () => {
    const unwritable = 5n as unknown as string;
    const { post, backend, requests } = await setUp([
      text("half"),
      [{ type: "text", delta: unwritable }],
      { waitFor: () => new Promise(() => {}) },
    ]);
    expect(await (await post({ stream: true })).text()).toContain('"server_error"');
    expect(await backend.exchanges[0]?.closed).toBe("client-left");
    expect(requests).toMatchObject([{ outcome: "server_error" }]);
  });
});

describe("stopping the gateway", () => {
  it("ends a running stream with an error frame, and a waiting request with a status", async () => {
    const { post, gateway, backend } = await setUp([text("half"), gate()]);
    const streaming = await post({ stream: true });
    const waiting = post();
    await expect.poll(() => backend.exchanges.length).toBe(2);
    await new Promise(setImmediate);
    gateway.close();
    expect(await streaming.text()).toContain('"shutting_down"');
    expect((await waiting).status).toBe(503);
  });
});
