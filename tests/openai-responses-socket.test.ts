import { once } from "node:events";
import OpenAI from "openai";
import type { ResponsesClientEvent, ResponsesServerEvent } from "openai/resources/responses/responses";
import { ResponsesWS } from "openai/resources/responses/ws";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { jsonPost, RawClient } from "../testing/clients/raw-client.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";

const KEY = "a-gateway-key-0123";
const ORIGIN = "https://app.example";
const MIB = 1024 * 1024;

const system = startedOnce(() => startWholeSystem({}, { key: KEY, corsOrigins: [ORIGIN], bodyLimitBytes: MIB }));
beforeEach(() => system.simulator.reset());

const open: { close(): void }[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

function address(path = "/v1/responses", url = system.url): string {
  return `${url.replace("http", "ws")}${path}`;
}

/** A connection of the official client. */
function connect(url = system.url): ResponsesWS {
  const socket = new ResponsesWS(new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY }));
  open.push(socket);
  return socket;
}

function until(socket: ResponsesWS, type: "response.completed" | "response.output_text.delta"): Promise<void> {
  return new Promise((resolve) => socket.once(type, () => resolve()));
}

function closed(socket: ResponsesWS): Promise<number> {
  return new Promise((resolve) => socket.socket.on("close", (code) => resolve(code)));
}

type Ask = Omit<ResponsesClientEvent, "type"> & { generate?: boolean };

/** Requests a response, and waits for its last event or an error. */
function ask(socket: ResponsesWS, fields: Ask): Promise<ResponsesServerEvent[]> {
  const events: ResponsesServerEvent[] = [];
  return new Promise((resolve) => {
    const listen = (event: ResponsesServerEvent) => {
      events.push(event);
      if (!["response.completed", "response.incomplete", "response.failed", "error"].includes(event.type)) return;
      socket.off("event", listen);
      resolve(events);
    };
    socket.on("event", listen);
    socket.on("error", () => {});
    socket.send({ type: "response.create", model: "auto", store: false, ...fields });
  });
}

function lastOf(events: readonly ResponsesServerEvent[]): OpenAI.Responses.Response {
  const last = events.at(-1);
  if (last?.type !== "response.completed") throw new Error(`ended with ${JSON.stringify(last)}`);
  return last.response;
}

const textOf = (events: readonly ResponsesServerEvent[]) =>
  events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");

describe("Responses on a WebSocket", () => {
  it("come as the same events as over HTTP, in the order of the requests", async () => {
    const socket = connect();
    const [first, second] = await Promise.all([
      ask(socket, { input: "[[think hm]] [[say one]]" }),
      until(socket, "response.completed").then(() => ask(socket, { input: "[[say two]]" })),
    ]);
    expect(first.map(({ sequence_number }) => sequence_number)).toEqual(first.map((_, at) => at));
    expect(first[0]?.type).toBe("response.created");
    expect([textOf(first), textOf(second)]).toEqual(["one", "two"]);
  });

  it("queue requests that come while another is running", async () => {
    const socket = connect();
    const completed: string[] = [];
    const done = new Promise<void>((resolve) => {
      socket.on("response.completed", ({ response }) => {
        completed.push(JSON.stringify(response.output).match(/answer \d/)?.[0] ?? "");
        if (completed.length === 3) resolve();
      });
    });
    for (const number of [1, 2, 3]) {
      socket.send({ type: "response.create", model: "auto", input: `[[say answer ${number}]]`, store: false });
    }
    await done;
    expect(completed).toEqual(["answer 1", "answer 2", "answer 3"]);
  });

  it("continue warm from the one before, although nothing is stored", async () => {
    const socket = connect();
    const tools = [{ type: "function" as const, name: "ls", parameters: {}, strict: false }];
    const first = lastOf(await ask(socket, { tools, input: "[[call ls {}]] then [[say done]]" }));
    const [call] = first.output;
    const second = lastOf(
      await ask(socket, {
        tools,
        previous_response_id: first.id,
        input: [
          {
            type: "function_call_output",
            call_id: (call?.type === "function_call" && call.call_id) || "",
            output: "a.txt",
          },
        ],
      }),
    );
    expect(JSON.stringify(second.output)).toContain("Result of ls: a.txt");
    await ask(socket, { tools, previous_response_id: second.id, input: "[[say and on]]" });
    expect(system.simulator.stats()).toMatchObject({ runs: 2, conversations: 1 });
    const elsewhere = await ask(connect(), { previous_response_id: second.id, input: "hi" });
    expect(elsewhere.at(-1)).toMatchObject({
      type: "error",
      status: 400,
      code: "previous_response_not_found",
      error: { code: "previous_response_not_found", param: "previous_response_id" },
    });
  });

  it.each<[failure: string, fields: Ask, last: object]>([
    ["Cursor's refusal", { input: "[[fail permission_denied]]" }, { type: "error", status: 403 }],
    ["a failure in the middle", { input: "[[say so far]] [[fail permission_denied]]" }, { type: "response.failed" }],
    [
      "an output for a call that nobody made",
      { input: [{ type: "function_call_output", call_id: "call_nobody", output: "1" }] },
      { type: "error", status: 400, error: { type: "invalid_request_error", param: "input" } },
    ],
    ["an invalid preparation", { generate: false, input: 5 as never }, { type: "error", status: 400 }],
  ])("cannot be continued on the connection once a continuation failed: %s", async (_, fields, last) => {
    const socket = connect();
    const first = lastOf(await ask(socket, { input: "[[say one]]" }));
    const second = lastOf(await ask(socket, { previous_response_id: first.id, input: "[[say two]]" }));
    expect((await ask(socket, { previous_response_id: second.id, ...fields })).at(-1)).toMatchObject(last);
    const again = await ask(socket, { previous_response_id: second.id, input: "[[say three]]" });
    expect(again.at(-1)).toMatchObject({ type: "error", status: 400, code: "previous_response_not_found" });
    const before = await ask(socket, { previous_response_id: first.id, input: "[[say not named]]" });
    expect(textOf(before)).toBe("not named");
  });

  it("can be continued after a failed continuation when they are stored", async () => {
    const socket = connect();
    const { id } = lastOf(await ask(socket, { input: "[[say kept]]", store: true }));
    await ask(socket, { previous_response_id: id, input: "[[fail permission_denied]]" });
    expect(textOf(await ask(socket, { previous_response_id: id, input: "[[say on]]" }))).toBe("on");
  });

  it("can be prepared without an answer", async () => {
    const socket = connect();
    const prepared = lastOf(await ask(socket, { generate: false, input: [], instructions: "Be kind." }));
    expect(prepared.output).toEqual([]);
    expect(system.simulator.stats().runs).toBe(0);
    const next = await ask(socket, {
      previous_response_id: prepared.id,
      input: "[[say now]]",
      instructions: "Be kind.",
    });
    expect(textOf(next)).toBe("now");
  });

  it.each<[string, string, object]>([
    ["invalid JSON", "{", { status: 400, code: "invalid_json" }],
    ["another event", '{"type":"response.steer"}', { status: 400, code: "invalid_request", param: "type" }],
    ["a bad request", '{"type":"response.create","model":"auto"}', { status: 400, code: "missing_messages" }],
  ])("report an error as an event, and stay open: %s", async (_, message, error) => {
    const socket = connect();
    socket.on("error", () => {});
    const event = new Promise((resolve) => socket.once("event", resolve));
    socket.sendRaw(message);
    expect(await event).toMatchObject({ type: "error", ...error, message: expect.stringMatching(/./) });
    expect(textOf(await ask(socket, { input: "[[say still here]]" }))).toBe("still here");
  });
});

describe("a client on a WebSocket", () => {
  it("cancels the running response when it disconnects", async () => {
    const socket = connect();
    const begun = until(socket, "response.output_text.delta");
    socket.send({ type: "response.create", model: "auto", input: "[[say begun]] [[wait 60000]]" });
    await begun;
    socket.close();
    await expect.poll(() => system.simulator.stats().cancelled).toBe(1);
  });

  it("cancels nothing when it disconnects right after the end", async () => {
    const socket = connect();
    lastOf(await ask(socket, { input: "[[say bye]]" }));
    socket.close();
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    expect(system.simulator.stats().cancelled).toBe(0);
  });

  it("has the same size limit as other requests", async () => {
    const socket = new WebSocket(address(), { headers: { authorization: `Bearer ${KEY}` } });
    await once(socket, "open");
    socket.send("x".repeat(MIB + 1));
    const [code] = await once(socket, "close");
    expect(code).toBe(1009);
  });

  it("is refused like any other request", async () => {
    const bearer = { authorization: `Bearer ${KEY}` };
    const refused = async (path: string, headers: Record<string, string>) => {
      const socket = new WebSocket(address(path), { headers });
      const [, response] = await once(socket, "unexpected-response");
      let body = "";
      for await (const part of response) body += part;
      return [response.statusCode, JSON.parse(body).error.code];
    };
    expect(await refused("/v1/responses", {})).toEqual([401, "invalid_gateway_key"]);
    expect(await refused("/v1/responses", { ...bearer, host: "evil.example" })).toEqual([403, "forbidden_host"]);
    for (const origin of ["https://evil.example", "null", "chrome-extension://abc"]) {
      expect(await refused("/v1/responses", { ...bearer, origin })).toEqual([403, "forbidden_host"]);
    }
    for (const site of ["cross-site", "same-site"]) {
      expect(await refused("/v1/responses", { ...bearer, "sec-fetch-site": site })).toEqual([403, "forbidden_host"]);
    }
    expect(await refused("/v1/nothing", bearer)).toEqual([404, "route_not_found"]);
    expect(await refused("/v1/messages", bearer)).toEqual([405, "method_not_allowed"]);
  });

  it("is accepted from an allowed page, from the gateway's own, and without /v1", async () => {
    for (const [path, headers] of [
      ["/v1/responses", { origin: ORIGIN }],
      ["/v1/responses", { origin: system.url }],
      ["/v1/responses", { "sec-fetch-site": "same-origin" }],
      ["/responses", {}],
    ] as const) {
      const socket = new WebSocket(address(path), { headers: { "x-api-key": KEY, ...headers } });
      const [response] = await once(socket, "upgrade");
      expect(response.headers["x-request-id"]).toMatch(/./);
      socket.close();
    }
  });

  it("with an invalid handshake gets an error", async () => {
    const raw = await RawClient.connect(Number(new URL(system.url).port));
    raw.send(
      `GET /v1/responses HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${KEY}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    );
    expect(await raw.until('"invalid_request"')).toContain("HTTP/1.1 400");
    await raw.closed;
  });
});

describe("other protocols in Upgrade", () => {
  it("are ignored, with and without a body", async () => {
    const raw = await RawClient.connect(Number(new URL(system.url).port));
    const headers = `x-api-key: ${KEY}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB`;
    raw.send(jsonPost("/v1/responses", { model: "auto", input: "[[say still HTTP]]" }, { headers }));
    expect(await raw.until("still HTTP")).toContain("HTTP/1.1 200 OK");
    raw.send(`GET /health HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n\r\n`);
    await raw.until('"status":"ok"');
    raw.socket.destroy();
  });
});

describe("a gateway that stops", () => {
  it("finishes the running response, and closes idle connections at once", async () => {
    const stopping = await startWholeSystem({ deltaMs: 20 }, { key: KEY, graceMs: 20_000 });
    const [idle, busy] = [connect(stopping.url), connect(stopping.url)];
    await ask(idle, { input: "[[say hi]]" });
    const begun = until(busy, "response.output_text.delta");
    const answer = ask(busy, { input: `[[say ${"word ".repeat(20)}]]` });
    await begun;
    const codes = [idle, busy].map(closed);
    await stopping.close();
    expect(await Promise.all(codes)).toEqual([1001, 1001]);
    lastOf(await answer);
  });

  it("drops a client that does not close", async () => {
    const stopping = await startWholeSystem({}, { key: KEY, graceMs: 100 });
    const raw = await RawClient.connect(Number(new URL(stopping.url).port));
    raw.send(
      [
        "GET /v1/responses HTTP/1.1",
        "host: localhost",
        `x-api-key: ${KEY}`,
        "connection: upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        `sec-websocket-key: ${btoa("0123456789abcdef")}`,
        "\r\n",
      ].join("\r\n"),
    );
    await raw.until("101 Switching Protocols");
    await stopping.close();
    await raw.closed;
    expect(raw.socket.destroyed).toBe(true);
  });
});
