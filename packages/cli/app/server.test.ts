import { request } from "node:http";
import type { Model } from "@curlew/gateway/backends/backend.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import { describe, expect, it } from "vitest";
import { askedServer, type ServerOptions } from "../../../testing/gateway/asked-server.js";
import { problemOf } from "../../../testing/page/page-server.js";

const chat = "/v1/chat/completions";
const question = { model: "auto", messages: [{ role: "user", content: "hi" }] };
const KEY = "a-gateway-key-0123";

async function setUp(options: ServerOptions = {}) {
  const server = await askedServer(options);
  const post = (path: string, headers: Record<string, string> = {}) => server.post(path, question, headers);
  return { ...server, post };
}

/** A GET with headers that `fetch` does not allow. */
const getRaw = (url: string, headers: Record<string, string>) => askRaw(url, "GET", headers);

function askRaw(url: string, method: string, headers: Record<string, string>) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asking = request(url, { method, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part) => {
        body += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asking.on("error", reject);
    asking.end();
  });
}

describe("metrics", () => {
  it("are served as plain text", async () => {
    const { ask } = await setUp();
    const response = await ask("/metrics");
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
    ]);
    expect((await ask("/metrics", { method: "POST" })).status).toBe(405);
  });

  it("require the key, if there is one", async () => {
    const { ask } = await setUp({ config: { key: KEY } });
    expect((await ask("/metrics")).status).toBe(401);
    expect((await ask("/metrics", { headers: { authorization: `Bearer ${KEY}` } })).status).toBe(200);
  });

  it("cannot be read by other pages", async () => {
    const { ask } = await setUp();
    expect((await ask("/metrics", { headers: { origin: "https://evil.example" } })).status).toBe(403);
  });
});

describe("routes", () => {
  it.each([chat, "/chat/completions", `${chat}?beta=true`])("POST %s answers a chat", async (path) => {
    const { post } = await setUp();
    const response = await post(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("Hello");
  });

  it.each(["/v1/completions", "/completions"])("POST %s answers a prompt", async (path) => {
    const { post } = await askedServer();
    const response = await post(path, { model: "auto", prompt: "Once" });
    expect(await response.json()).toMatchObject({ object: "text_completion", choices: [{ text: "Hello" }] });
  });

  it.each([
    ["/v1/chat/completion", "POST /v1/chat/completions"],
    ["/proxy/v1/chat/completions", "POST /v1/chat/completions"],
    ["/proxy/v1/models", "GET /v1/models"],
    ["/v1/model", "GET /v1/models"],
    ["/healthz", "GET /health"],
  ])("names the nearest route when %s is not known", async (path, near) => {
    const { post, requests } = await setUp();
    const message = expect.stringContaining(`the nearest is ${near}.`);
    expect(await problemOf(await post(path))).toEqual({ status: 404, code: "route_not_found", message });
    expect(requests).toMatchObject([{ route: `POST ${path}`, status: 404, outcome: "route_not_found" }]);
  });

  it.each(["/favicon.ico", "/nothing/", "/admin", "/curlew/stop", "/asset/x", `/${"far/".repeat(2_000)}v1/models`])(
    "points to the description of all routes when none is near %.20s",
    async (path) => {
      const { ask } = await setUp();
      const { message } = await problemOf(await ask(path));
      expect(message).toBe("Unknown route. GET /openapi.json describes all routes.");
    },
  );

  it.each([
    ["POST", "/v1/embeddings", "another service"],
    ["POST", "/embeddings", "another service"],
    ["POST", "/v1/audio/transcriptions", "text only"],
    ["GET", "/v1/files/file-1/content", "content of a message"],
    ["POST", "/v1/messages/batches", "each request by itself"],
    ["POST", "/v1/threads/t_1/runs", "previous_response_id"],
    ["GET", `${chat}/chatcmpl-1`, "not stored"],
    ["GET", chat, "those of POST /v1/responses are"],
    ["GET", "/chat/completions", "use POST here"],
    ["DELETE", "/v1/models/auto", "cannot be trained"],
    ["DELETE", "/models/auto", "cannot be trained"],
    ["POST", "/v1/complete", "POST /v1/messages"],
  ])("%s %s is not served, and the error says what to do instead", async (method, path, instead) => {
    const { ask, backend } = await setUp();
    const response = await ask(path, { method, ...(method === "POST" && { body: "{}" }) });
    const message = expect.stringContaining(instead);
    expect(await problemOf(response)).toEqual({ status: 501, code: "not_implemented", message });
    expect(backend.exchanges).toHaveLength(0);
  });

  it.each([
    ["/health", 200],
    ["/v1/models", 200],
    ["/v1/models/nope", 404],
    [chat, 501],
    ["/v1/completions", 405],
    ["/api/hello", 200],
  ])("HEAD %s is answered with %i and no body", async (path, status) => {
    const { ask } = await setUp();
    const response = await ask(path, { method: "HEAD" });
    expect(response.status).toBe(status);
    expect(await response.text()).toBe("");
  });

  it.each([
    "GET http://[broken HTTP/1.1\r\nhost: localhost",
    "GET /health HTTP/1.1\r\nhost: local host/evil",
    "GET /back\\slash HTTP/1.1\r\nhost: localhost",
  ])("an invalid address is a bad request: %j", async (head) => {
    const client = await (await setUp()).connect();
    client.send(`${head}\r\n\r\n`);
    expect(await client.until('"invalid_request"')).toContain("HTTP/1.1 400");
  });
});

describe("the models", () => {
  const models: Model[] = [
    { id: "default", name: "Auto", aliases: ["auto"], canThink: true },
    { id: "claude-5", name: "Claude 5", aliases: ["sonnet"], canThink: true, contextTokens: 200_000 },
    { id: "vendor/model:1", name: "Odd", aliases: [], canThink: false },
  ];
  const limits = { max_output_tokens: 32_000, max_completion_tokens: 32_000 };
  const common = {
    object: "model",
    created: 1_700_000_000,
    owned_by: "cursor",
    attachment: false,
    efforts: [],
    ...limits,
  };
  const claude = { ...common, id: "claude-5", name: "Claude 5", context_window: 200_000, reasoning: true };

  it("are listed by the names that clients use", async () => {
    const { ask } = await setUp({ models });
    const response = await ask("/v1/models");
    expect(await response.json()).toEqual({
      object: "list",
      data: [
        { ...common, id: "auto", name: "Auto", reasoning: true },
        claude,
        { ...common, id: "vendor/model:1", name: "Odd", reasoning: false },
      ],
    });
  });

  it.each(["claude-5", "Claude-5", "sonnet", "cursor/sonnet", "sonnet:high", "claude-3-5-sonnet-latest"])(
    "are found one by one: %s",
    async (name) => {
      const { ask } = await setUp({ models });
      expect(await (await ask(`/v1/models/${name}`)).json()).toEqual(claude);
    },
  );

  it("are served without /v1, for clients whose base URL lacks it", async () => {
    const { ask } = await setUp({ models });
    for (const path of ["/models", "/models/claude-5"]) {
      for (const headers of [{}, { "anthropic-version": "2023-06-01" }]) {
        const [plain, full] = await Promise.all([path, `/v1${path}`].map((each) => ask(each, { headers })));
        expect([plain?.status, await plain?.json()]).toEqual([200, await full?.json()]);
      }
    }
  });

  it.each(["auto", "default", "vendor/model:1", "vendor%2Fmodel%3A1"])(
    "are found by odd names too: %s",
    async (name) => {
      const { ask } = await setUp({ models });
      expect((await ask(`/v1/models/${name}`)).status).toBe(200);
    },
  );

  it("are a 404 if unknown", async () => {
    const { ask } = await setUp({ models });
    expect(await problemOf(await ask("/v1/models/gpt-2"))).toMatchObject({ status: 404, code: "model_not_found" });
    expect((await (await ask(`/v1/models/${"x".repeat(10_000)}`)).text()).length).toBeLessThan(500);
  });

  it("report why they cannot be listed", async () => {
    const { ask } = await setUp({ models: new GatewayError("not_authenticated", "Run `curlew login`.") });
    expect(await problemOf(await ask("/v1/models"))).toMatchObject({ status: 401, code: "not_authenticated" });
  });
});

describe("health", () => {
  const health = () => ({ status: "ok", version: "9.9.9", backend: "agent", auth: "authenticated", drift: { x: 1 } });

  it("is complete on a gateway without a key", async () => {
    const { ask } = await setUp({ health });
    expect(await (await ask("/health")).json()).toEqual(health());
  });

  it("is complete with the key, and short without it", async () => {
    const { ask } = await setUp({ health, config: { key: KEY } });
    expect(await (await ask("/health")).json()).toEqual({ status: "ok", version: "9.9.9", backend: "agent" });
    expect(await (await ask("/health", { headers: { "x-api-key": KEY } })).json()).toEqual(health());
  });
});

describe("the gateway's key", () => {
  it.each([
    { authorization: `Bearer ${KEY}` },
    { authorization: `bearer  ${KEY} ` },
    { "x-api-key": KEY },
    { authorization: "Bearer something-else", "x-api-key": KEY },
  ])("is accepted: %j", async (headers) => {
    const { post } = await setUp({ config: { key: KEY } });
    expect((await post(chat, headers)).status).toBe(200);
  });

  const none = "This gateway requires its own key, and the request has none.";
  const wrong = "The key of this request is not a key of this gateway.";
  it.each<[Record<string, string>, string]>([
    [{}, none],
    [{ authorization: KEY }, none],
    [{ authorization: `Basic ${KEY}` }, none],
    [{ authorization: "Bearer " }, none],
    [{ "x-api-key": "" }, none],
    [{ authorization: "Bearer wrong" }, wrong],
    [{ authorization: `Bearer ${KEY}x` }, wrong],
    [{ "x-api-key": KEY.slice(0, -1) }, wrong],
  ])("is required, and the error says whether it is missing or wrong: %j", async (headers, problem) => {
    const { post, ask, backend } = await setUp({ config: { key: KEY } });
    const response = await post(chat, headers);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    const message = `${problem} Send the value of CURLEW_KEY, or a key made by \`curlew keys add\`, as the client's API key (\`Authorization: Bearer <key>\` or \`x-api-key: <key>\`).`;
    expect(await problemOf(response)).toEqual({ status: 401, code: "invalid_gateway_key", message });
    expect((await ask("/v1/models")).status).toBe(401);
    expect((await ask("/unknown")).status).toBe(401);
    expect(backend.exchanges).toHaveLength(0);
  });

  it("is not needed if none is set, whatever clients send", async () => {
    const { post } = await setUp();
    expect((await post(chat, { authorization: "Bearer sk-anything" })).status).toBe(200);
  });
});

describe("the host name of a request", () => {
  it.each([
    ["127.0.0.1", "localhost:1234"],
    ["127.0.0.1", "LOCALHOST."],
    ["127.0.0.1", "127.0.0.1:32124"],
    ["127.0.0.1", "127.9.9.9"],
    ["127.0.0.1", "[::1]:80"],
    ["127.0.0.1", "app.localhost"],
    ["192.168.1.5", "192.168.1.5:32124"],
    ["::1", "[::1]"],
    ["fd00::5", "[fd00::5]:80"],
    ["my-box", "My-Box:80"],
    ["127.0.0.1", "curlew.example:443"],
    ["0.0.0.0", "10.1.2.3:32124"],
    ["::", "[fd00::7]:32124"],
  ])("when bound to %s may be %s", async (host, name) => {
    const { url } = await setUp({ config: { host, allowedHosts: ["Curlew.example"] } });
    expect((await getRaw(`${url}/health`, { host: name })).status).toBe(200);
  });

  it.each([
    ["127.0.0.1", "evil.example"],
    ["127.0.0.1", "127.0.0.1.evil.example"],
    ["127.0.0.1", "localhost.evil.example:80"],
    ["127.0.0.1", "10.1.2.3"],
    ["127.0.0.1", "notlocalhost"],
    ["0.0.0.0", "evil.example"],
    ["192.168.1.5", "192.168.1.6"],
  ])("when bound to %s must not be %s", async (host, name) => {
    const { url, requests } = await setUp({ config: { host, allowedHosts: ["curlew.example"] } });
    const { status, body } = await getRaw(`${url}/health`, { host: name });
    expect(status).toBe(403);
    expect(body).toContain('"forbidden_host"');
    expect(body).toContain("allow the name with allowedHosts");
    expect(requests).toMatchObject([{ outcome: "forbidden_host", status: 403 }]);
  });
});

describe("two host names in a request", () => {
  it.each([
    ["host: localhost", "host: evil.example"],
    ["host: evil.example", "Host: localhost"],
    ["HOST: localhost", "host: localhost"],
  ])("are a bad request: %s, %s", async (first, second) => {
    const { connect, requests } = await setUp();
    const client = await connect();
    client.send(`GET /health HTTP/1.1\r\n${first}\r\naccept: */*\r\n${second}\r\n\r\n`);
    const answer = await client.until("Send one.");
    expect(answer).toContain("HTTP/1.1 400");
    expect(answer).toContain('"invalid_request"');
    await expect.poll(() => requests).toMatchObject([{ status: 400, outcome: "invalid_request" }]);
  });
});

describe("pages of a browser", () => {
  const origin = "https://app.example";
  /** A browser's preflight for a POST of a page. */
  const preflight = (from: string): RequestInit => ({
    method: "OPTIONS",
    headers: { origin: from, "access-control-request-method": "POST" },
  });
  const permissionsIn = (answers: readonly Response[]) =>
    answers.flatMap(({ headers }) => [...headers.keys()].filter((name) => name.startsWith("access-control")));

  it("have no permission unless it is configured", async () => {
    const { ask, post } = await setUp();
    const answers = [await ask(chat, preflight(origin)), await post(chat, { origin })];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(permissionsIn(answers)).toEqual([]);
  });

  it("of a configured origin may send a preflight without the key, and read every kind of answer", async () => {
    const { ask, post } = await askedServer({ config: { corsOrigins: [origin], key: KEY } });
    const asked = { ...preflight(origin).headers, "access-control-request-headers": "authorization" };
    const { status, headers } = await ask(chat, { method: "OPTIONS", headers: asked });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-headers")).toBe("authorization");
    expect(headers.get("access-control-allow-methods")).toContain("POST");
    for (const stream of [true, false]) {
      const response = await post(chat, { ...question, stream }, { origin, authorization: `Bearer ${KEY}` });
      expect(response.status).toBe(200);
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
      expect(response.headers.get("vary")).toBe("origin");
    }
    const refused = await ask("/v1/models", { headers: { origin } });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
  });

  const foreign = ["https://evil.example", "http://evil.example:8080", "http://localhost:3000", "HTTPS://EVIL.EXAMPLE"];
  const unusual = [
    "null",
    "app://obsidian.md",
    "vscode-webview://0a1b",
    "chrome-extension://abc",
    "capacitor://localhost",
  ];

  it.each(foreign)("of another origin are refused, whatever they request: %s", async (from) => {
    const { ask, post, backend, requests } = await setUp({ config: { corsOrigins: [origin] } });
    const answers = [await post(chat, { origin: from }), await post("/v1/messages", { origin: from })];
    for (const [method, path] of [
      ["GET", "/v1/models"],
      ["GET", "/health"],
      ["DELETE", "/v1/responses/resp_1"],
      ["OPTIONS", chat],
    ] as const) {
      answers.push(await ask(path, { method, headers: { origin: from } }));
    }
    expect(permissionsIn(answers)).toEqual([]);
    const message = expect.stringContaining("CURLEW_CORS_ORIGINS");
    for (const answer of answers) {
      expect(await problemOf(answer)).toEqual({ status: 403, code: "forbidden_host", message });
    }
    expect(backend.exchanges).toHaveLength(0);
    expect(requests).toHaveLength(answers.length);
  });

  it.each(unusual)("with another scheme are left to the browser's preflight: %s", async (from) => {
    const { ask, post } = await setUp();
    const asked = await ask(chat, preflight(from));
    expect(await problemOf(asked)).toMatchObject({ status: 403, message: expect.stringContaining("corsOrigins") });
    const response = await post(chat, { origin: from });
    expect(response.status).toBe(200);
    expect(permissionsIn([asked, response])).toEqual([]);
  });

  it.each(unusual)("of a configured origin are served, even an unusual one: %s", async (from) => {
    const { post } = await setUp({ config: { corsOrigins: [from] } });
    const response = await post(chat, { origin: from });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, from]);
  });

  it.each([
    ["http://curlew.example", "curlew.example"],
    ["http://curlew.example", "curlew.example:80"],
    ["https://curlew.example", "Curlew.Example"],
    ["https://curlew.example", "curlew.example:443"],
    ["http://localhost:32124", "localhost:32124"],
    ["http://[::1]:32124", "[::1]:32124"],
  ])("that come from the gateway's own address may use it: %s at %s", async (from, host) => {
    const { url } = await setUp({ config: { allowedHosts: ["curlew.example"] } });
    expect((await getRaw(`${url}/health`, { host, origin: from })).status).toBe(200);
  });

  it.each([
    ["http://localhost:3000", "localhost:32124"],
    ["http://127.0.0.1:32124", "localhost:32124"],
    ["https://curlew.example", "curlew.example:80"],
    ["http://curlew.example.evil.example", "curlew.example"],
    ["http://", "localhost"],
  ])("that come from nearly the same address may not: %s at %s", async (from, host) => {
    const { url } = await setUp({ config: { allowedHosts: ["curlew.example"] } });
    const { status, body } = await getRaw(`${url}/health`, { host, origin: from });
    expect([status, body]).toEqual([403, expect.stringContaining('"forbidden_host"')]);
  });

  it.each(["cross-site", "same-site"])("without an origin may only read: %s", async (site) => {
    const { url, backend, requests } = await setUp();
    const ask = (method: string, path: string, from = site) =>
      askRaw(url + path, method, { "sec-fetch-site": from, "content-length": "0" });
    for (const path of [chat, "/v1/messages", "/v1/responses", "/v1/models"]) {
      const { status, body } = await ask("POST", path);
      expect([status, body]).toEqual([403, expect.stringContaining('"forbidden_host"')]);
    }
    expect((await ask("DELETE", "/v1/responses/resp_1")).status).toBe(403);
    expect((await ask("GET", "/health")).status).toBe(200);
    for (const own of ["none", "same-origin"]) expect((await ask("POST", chat, own)).status).toBe(400);
    expect(backend.exchanges).toHaveLength(0);
    expect(requests).toHaveLength(7);
  });

  it("cannot send a body without a type", async () => {
    const { ask } = await setUp();
    const response = await ask(chat, {
      method: "POST",
      headers: { origin: "null" },
      body: new Blob([JSON.stringify(question)]),
    });
    expect(response.status).toBe(415);
  });
});

it("logs one line with the duration for each request, except for polling", async () => {
  const { ask, post, requests } = await setUp();
  await (await post(chat)).text();
  for (const path of ["/health", "/metrics", "/api/hello"]) await (await ask(path)).text();
  await (await ask("/v1/models")).text();
  expect(requests).toHaveLength(2);
  expect(requests[0]).toEqual({
    route: `POST ${chat}`,
    status: 200,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    outcome: "ok",
    client: "node",
    stream: false,
    model: "auto",
    backend: "scripted",
    continuity: "cold:new",
    cacheMiss: "unknown",
    firstByteMs: expect.any(Number),
    totalMs: expect.any(Number),
    bytes: expect.any(Number),
  });
  expect(requests[1]).toEqual({
    route: "GET /v1/models",
    status: 200,
    requestId: expect.any(String),
    outcome: "ok",
    client: "node",
    totalMs: expect.any(Number),
  });
});
