import { describe, expect, it } from "vitest";
import { finish, gate, askedServer as setUp, text } from "../../../../testing/gateway/asked-server.js";
import { ManualClock } from "../../../../testing/manual-clock.js";

const path = "/v1/messages";
const question = { model: "auto", max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
const KEY = "a-gateway-key-0123";

describe("the routes of Anthropic's clients", () => {
  it.each([path, "/messages", `${path}?beta=true`])("POST %s answers", async (to) => {
    const { post } = await setUp();
    const response = await post(to, question, { "anthropic-beta": "a-2026-01-01,b-2026-02-02" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ type: "message", content: [{ type: "text", text: "Hello" }] });
    expect(response.headers.get("request-id")).toBeTruthy();
  });

  it.each(["HEAD", "GET"])("%s /api/hello answers without a key", async (method) => {
    const { ask } = await setUp({ config: { key: KEY } });
    expect((await ask("/api/hello", { method })).status).toBe(200);
  });
});

describe("errors for Anthropic's clients", () => {
  const version = { "anthropic-version": "2023-06-01" };

  const key = { "x-api-key": KEY };
  const posted = (body: string, headers: object = {}): RequestInit => ({
    method: "POST",
    headers: { ...key, ...headers },
    body: new Blob([body]),
  });
  const asText = posted(JSON.stringify(question), { "content-type": "text/plain" });
  const count = `${path}/count_tokens`;
  const invalid = "invalid_request_error";

  it.each<[string, string, RequestInit, number, string, string]>([
    ["a wrong key", path, { method: "POST" }, 401, "authentication_error", "invalid_gateway_key"],
    ["a wrong key for models", "/v1/models", { headers: version }, 401, "authentication_error", "invalid_gateway_key"],
    ["a wrong method", path, { headers: key }, 405, invalid, "method_not_allowed"],
    ["an unknown route", `${path}/nothing`, { headers: key }, 404, "not_found_error", "route_not_found"],
    ["a bad model", "/v1/models/nope", { headers: { ...version, ...key } }, 404, "not_found_error", "model_not_found"],
    ["invalid JSON", path, posted("{"), 400, invalid, "invalid_json"],
    ["a count with a wrong content type", count, asText, 415, invalid, "unsupported_media_type"],
    ["a count of an empty request", count, posted("{}"), 400, invalid, "invalid_request"],
  ])("have their form: %s", async (_, to, init, status, type, code) => {
    const { ask } = await setUp({ config: { key: KEY } });
    const response = await ask(to, init);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      type: "error",
      error: expect.objectContaining({ type, code, message: expect.any(String) }),
      request_id: response.headers.get("request-id"),
    });
  });

  it.each([
    ["another host", "evil.example", "permission_error"],
    ["an invalid address", "local host/evil", "invalid_request_error"],
  ])("have their form: %s", async (_, host, type) => {
    const client = await (await setUp()).connect();
    client.send(`POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 0\r\n\r\n`);
    expect(await client.until('"request_id"')).toContain(`{"type":"error","error":{"type":"${type}"`);
  });

  it.each([path, `${path}/count_tokens`])("are complete for an oversized body at %s", async (to) => {
    const { post } = await setUp({ config: { bodyLimitBytes: 1_000 } });
    const response = await post(to, { ...question, system: "x".repeat(5_000_000) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "request_too_large" } });
  });
});

it("a silent stream sends comments before it has begun, and pings afterwards", async () => {
  const clock = new ManualClock();
  const [first, second] = [gate(), gate()];
  const { send, backend } = await setUp({ steps: [first, text("Hello"), second, finish], clock });
  const client = await send(path, { ...question, stream: true });
  await expect.poll(() => backend.exchanges.length).toBe(1);
  clock.advance(15_000);
  expect(await client.until(": keep-alive\n\n")).not.toContain("event: ping");
  first.open();
  const begun = await client.until("Hello");
  const pings = begun.split("event: ping").length - 1;
  clock.advance(15_000);
  expect(await client.until('event: ping\ndata: {"type":"ping"}\n\n', pings + 1)).not.toContain("message_stop");
  second.open();
  expect((await client.until("message_stop")).split(": keep-alive\n\n")).toHaveLength(2);
});
