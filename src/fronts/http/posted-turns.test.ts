import { createServer, request } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { describe, expect, it } from "vitest";
import { hello } from "../../../testing/gateway/asked-server.js";
import { startScriptedServer } from "../../../testing/gateway/scripted-server.js";
import { listenLocally } from "../../../testing/network/local-server.js";
import { startedOnce } from "../../../testing/started.js";
import { createListener, createRoutes, type ServerDeps } from "../../server.js";

const chat = { model: "auto", messages: [{ role: "user", content: "hi" }] };

interface Sent {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Got {
  status: number | undefined;
  headers: Record<string, unknown>;
  text: string;
  logged: object;
}

/** The same gateway behind its listener, and behind the router alone. */
const ways = startedOnce(async () => {
  const config = { key: "secret", corsOrigins: ["https://page.example"] };
  const served = await startScriptedServer({ steps: hello, config });
  const start = async (listenerOf: (deps: ServerDeps) => ReturnType<typeof createListener>) => {
    const logged: object[] = [];
    const note = (fields: object) => logged.push(fields);
    const log = { info: note, warn: note, error: note };
    const server = await listenLocally(createServer(listenerOf({ ...served.deps, log, newId: () => "an-id" })));
    const ask = async (sent: Sent): Promise<Got> => {
      logged.length = 0;
      const got = await send(server.port, sent);
      await expect.poll(() => logged.length).toBe(1);
      return { ...got, logged: logged[0] ?? {} };
    };
    return { ask, close: server.close };
  };
  const short = await start(createListener);
  const router = await start((deps) => getRequestListener(createRoutes(deps).app.fetch, { hostname: "localhost" }));
  const close = () => Promise.all([short, router, served].map((each) => each.close()));
  return { short: short.ask, router: router.ask, close };
});

function send(port: number, { path = "/v1/chat/completions", method = "POST", headers = {}, body }: Sent) {
  const fixed = { "content-type": "application/json", authorization: "Bearer secret", connection: "close" };
  return new Promise<Omit<Got, "logged">>((resolve, reject) => {
    const asked = request({ port, host: "127.0.0.1", path, method, headers: { ...fixed, ...headers } }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    asked.on("error", reject);
    asked.end(body ?? JSON.stringify(chat));
  });
}

/** Without what differs from one request to the next. */
function comparable({ headers, text, logged, ...rest }: Got) {
  const { date: _, ...kept } = headers;
  const { totalMs: _total, firstByteMs: _first, ...line } = logged as Record<string, unknown>;
  return { ...rest, headers: kept, text: text.replace(/"created":\d+/g, ""), line };
}

describe("a posted turn gets the same answer and the same line in the log as through the router", () => {
  it.each<[string, Sent]>([
    ["of the plainest kind", {}],
    ["that is streamed", { body: JSON.stringify({ ...chat, stream: true }) }],
    ["without /v1", { path: "/chat/completions" }],
    ["with a query", { path: "/v1/chat/completions?beta=true" }],
    ["with an id of its own", { headers: { "x-request-id": "mine-1" } }],
    ["with an id that is not sane", { headers: { "x-request-id": "not sane" } }],
    ["from a page that is allowed", { headers: { origin: "https://page.example" } }],
    ["from a page that is not", { headers: { origin: "https://evil.example" } }],
    ["to a foreign host", { headers: { host: "evil.example" } }],
    ["without the key", { headers: { authorization: "Bearer wrong" } }],
    ["that is not JSON", { body: "{" }],
    ["of another type", { headers: { "content-type": "text/plain" } }],
    ["of an invalid request", { body: "{}" }],
    ["at an address that does not exist", { path: "/v1/chat/complete" }],
    ["by another method", { method: "PUT" }],
  ])("%s", async (_, sent) => {
    expect(comparable(await ways.short(sent))).toEqual(comparable(await ways.router(sent)));
  });
});
