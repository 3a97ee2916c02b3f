import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { askedServer } from "../../../../testing/gateway/asked-server.js";
import { meantAddress } from "./meant-address.js";

const chat = "/v1/chat/completions";
const KEY = "a-gateway-key-0123";
const message = { model: "auto", messages: [{ role: "user", content: "hi" }], max_tokens: 9 };

describe("the intended address", () => {
  it.each([
    ["/v1/v1/chat/completions", chat],
    ["/api/v1/chat/completions", chat],
    ["/openai/v1/chat/completions", chat],
    ["/openai/chat/completions", chat],
    ["/api/openai/v1/v1/chat/completions", chat],
    ["/v1/chat/completions/chat/completions", chat],
    ["/chat/completions/chat/completions", chat],
    ["/v1/chat/completions/v1/chat/completions", chat],
    ["/v1//chat/completions", chat],
    ["//v1/chat/completions", chat],
    ["/v1/chat/completions/", chat],
    ["/v1/chat/completions/models", "/v1/models"],
    ["/v1/chat/completions/models/gpt-5", "/v1/models/gpt-5"],
    ["/v1/completions/completions", "/v1/completions"],
    ["/v1/responses/responses", "/v1/responses"],
    ["/v1/responses/responses/resp_1/input_items", "/v1/responses/resp_1/input_items"],
    ["/v1/responses/models", "/v1/models"],
    ["/v1/messages/v1/messages", "/v1/messages"],
    ["/v1/messages/v1/messages/count_tokens", "/v1/messages/count_tokens"],
    ["/anthropic/v1/messages", "/v1/messages"],
    ["/v1/v1/models/vendor/model:1", "/v1/models/vendor/model:1"],
  ])("of %s is %s", (path, meant) => expect(meantAddress(path)).toBe(meant));

  it.each([
    chat,
    "/chat/completions",
    "/v1/responses/resp_1/cancel",
    "/responses/compact",
    "/v1/models/openai/v1",
    "/v1/messages/batches",
    "/v1/chat/completions/chatcmpl-1",
  ])("of %s is that address itself", (path) => expect(meantAddress(path)).toBeUndefined());

  it.each([
    "/v1/v1/v1/v1/v1/models",
    "/proxy/v1/models",
    "/api/v1/../admin",
    "/api/v1/models/../../admin/api/state",
    "/api/v1/models/%2e%2e/%2e%2e/admin",
    "/api/v1/models/..%2fadmin",
    "/api%2fv1/models",
    "/openai/v1/curlew/stop",
    "/api/v1/usage",
    "/v1/v1/tools",
    "/api/metrics",
    "/v1/v1/metrics",
    "/api/v1/admin/api/session",
    "/openai/health",
    "/v1/v1/embeddings",
    "/api/chat",
    "http://localhost/v1/v1/models",
  ])("of %s is not guessed", (path) => expect(meantAddress(path)).toBeUndefined());
});

it("does not search oversized addresses", () => {
  expect(meantAddress(`/v1/v1/models/${"x".repeat(500)}`)).toBeUndefined();
});

describe("a wrong base URL", () => {
  it.each([
    ["/v1/v1/chat/completions", message, "/v1"],
    ["/v1/chat/completions/chat/completions", { ...message, stream: true }, "/v1"],
    ["/v1/responses/responses", { model: "auto", input: "hi" }, "/v1"],
    ["/v1/messages/v1/messages?beta=true", message, ""],
  ])("is served, with a warning that names the right one: %s", async (path, body, end) => {
    const { post, url, requests } = await askedServer();
    const response = await post(path, body);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("Hello");
    const asked = path.replace(/\?.*/, "");
    const warning = `This request came to ${asked}. Set the base URL of the client to ${url}${end}.`;
    expect(response.headers.get("x-curlew-warnings")).toBe(warning);
    await expect.poll(() => requests).toMatchObject([{ status: 200, warnings: [warning] }]);
  });

  it("is reported beside other warnings, and on routes without a turn", async () => {
    const { post, url } = await askedServer();
    const turn = await post("/openai/v1/chat/completions", { ...message, seed: 7 });
    expect(turn.headers.get("x-curlew-warnings")).toMatch(/^This request came to \/openai.* seed/);
    const list = await fetch(`${url}/api/v1/models`);
    expect([list.status, list.headers.get("x-curlew-warnings")]).toEqual([200, expect.stringContaining(`${url}/v1.`)]);
  });

  it("may open a WebSocket", async () => {
    const { port } = await askedServer();
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/v1/responses`);
    await once(socket, "open");
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  });

  it("passes the same guards as the right one", async () => {
    const { post, url, connect } = await askedServer({ config: { key: KEY } });
    expect((await post("/v1/v1/chat/completions", message)).status).toBe(401);
    expect((await fetch(`${url}/api/v1/models`)).status).toBe(401);
    const owner = { authorization: `Bearer ${KEY}` };
    expect((await post("/v1/v1/chat/completions", message, { ...owner, origin: "https://evil.example" })).status).toBe(
      403,
    );
    expect((await post("/v1/v1/chat/completions", message, owner)).status).toBe(200);
    const raw = await connect();
    raw.send(`GET /v1/v1/models HTTP/1.1\r\nhost: evil.example\r\nauthorization: Bearer ${KEY}\r\n\r\n`);
    expect(await raw.until('"forbidden_host"')).toContain("HTTP/1.1 403");
  });

  it.each([
    "/api/v1/../admin/api/state",
    "/openai/v1/curlew/stop",
    "/v1/v1/metrics",
    "/api/v1/models/..%2f..%2fmetrics",
  ])("does not lead to Curlew's own routes: %s", async (path) => {
    const { connect } = await askedServer({ config: { key: KEY } });
    const raw = await connect();
    raw.send(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${KEY}\r\n\r\n`);
    expect(await raw.until('"code"')).toMatch(/HTTP\/1.1 (?:401|404)/);
  });
});

describe("an API that is not served", () => {
  const words = (name: string, url: string) =>
    `Curlew does not serve ${name}'s API. In the client, choose an OpenAI-compatible provider in place of ${name} and set its base URL to ${url}/v1.`;

  it.each(["/api/tags", "/api/chat", "/api/generate", "/api/show", "/api/version"])(
    "is Ollama's, and the error says what to set: %s",
    async (path) => {
      const { url, post } = await askedServer();
      for (const response of [await fetch(url + path), await post(path, {})]) {
        expect(response.status).toBe(404);
        expect(await response.json()).toEqual({ error: words("Ollama", url) });
      }
    },
  );

  it.each([
    "/v1beta/models",
    "/v1beta/models/gemini-3-pro:generateContent",
    "/v1alpha/models/x:streamGenerateContent?alt=sse",
  ])("is Gemini's, and the error says what to set: %s", async (path) => {
    const { url, requests } = await askedServer();
    const response = await fetch(url + path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: { code: 404, message: words("Gemini", url), status: "NOT_FOUND" },
    });
    expect(requests).toMatchObject([{ status: 404, outcome: "route_not_found" }]);
  });

  it("requires the key first", async () => {
    const { url } = await askedServer({ config: { key: KEY } });
    const [ollama, gemini] = await Promise.all([fetch(`${url}/api/tags`), fetch(`${url}/v1beta/models`)]);
    expect([ollama.status, await ollama.json()]).toEqual([401, { error: expect.stringContaining("key") }]);
    expect([gemini.status, await gemini.json()]).toMatchObject([401, { error: { status: "UNAUTHENTICATED" } }]);
  });
});
