import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { GatewayError } from "../../turn/error.js";
import { RequestRecord } from "../../turn/events/channels.js";
import { paramOf, queryOf, type Route, Router, routeFor } from "./router.js";
import { refuseMethod } from "./unserved-routes.js";

/** A router whose routes answer with their own name and the parameters `id` and `q`. */
function setUp() {
  const named =
    (name: string): Route["serve"] =>
    (request) => ({
      status: 200,
      headers: {},
      body: [name, paramOf(request, "id"), queryOf(request, "q")].join(" ").trim(),
    });
  const route = (method: Route["method"], path: string): Route => ({ method, path, serve: named(`${method} ${path}`) });
  const router = new Router({
    unknown: { guards: [], serve: named("unknown") },
    unreadable: { guards: [], serve: named("unreadable") },
    method: refuseMethod,
  });
  router.add(
    [],
    [
      route("GET", "/"),
      route("POST", "/v1/turns"),
      route("WS", "/v1/turns"),
      route("GET", "/v1/things/:id"),
      route("DELETE", "/v1/things/:id"),
      route("POST", "/v1/things/:id/cancel"),
      route("POST", "/v1/things/count"),
      route("GET", "/v1/names/:id{.+}"),
      route("GET", "/own/known"),
    ],
  );
  router.addRest("/own/:rest{.*}", { guards: [], serve: named("rest of own") });
  return router;
}

async function ask(method: string, url: string, upgrade = false): Promise<string> {
  const headers = { host: "localhost", ...(upgrade && { upgrade: "WebSocket" }) };
  const incoming = { method, url, headers, upgrade } as unknown as IncomingMessage;
  let allowed = "";
  const outgoing = { setHeader: (_: string, value: string) => (allowed = value) } as unknown as ServerResponse;
  const router = setUp();
  const found = router.findExact(url) ?? router.find(url);
  try {
    const request = { incoming, outgoing, record: new RequestRecord("gateway", "an-id", 0), found };
    return String((await routeFor(found.place, incoming).serve(request))?.body);
  } catch (thrown) {
    return `${GatewayError.from(thrown).code} ${allowed}`;
  }
}

describe("an address leads to its route", () => {
  it.each([
    ["GET", "/", "GET /"],
    ["HEAD", "/", "GET /"],
    ["POST", "/v1/turns", "POST /v1/turns"],
    ["POST", "/v1/turns?beta=1&q=a+b%20c&q=d", "POST /v1/turns  a b c"],
    ["GET", "/v1/things/a", "GET /v1/things/:id a"],
    ["DELETE", "/v1/things/a", "DELETE /v1/things/:id a"],
    ["POST", "/v1/things/a/cancel", "POST /v1/things/:id/cancel a"],
    ["POST", "/v1/things/count", "POST /v1/things/count"],
    ["GET", "/v1/names/a/b:c", "GET /v1/names/:id{.+} a/b:c"],
    ["GET", "/own/known", "GET /own/known"],
  ])("%s %s", async (method, url, served) => expect(await ask(method, url)).toBe(served));
});

describe("an address may be written in another way", () => {
  it.each([
    ["with escapes", "/v1/t%75rns", "POST /v1/turns"],
    ["with dots", "/v1/x/../turns", "POST /v1/turns"],
    ["in the form for proxies", "http://any.example/v1/turns?q=1", "POST /v1/turns  1"],
    ["with an escaped separator in a parameter", "/v1/things/a%2Fb/cancel", "POST /v1/things/:id/cancel a/b"],
    ["with an escaped percent sign in a parameter", "/v1/things/100%2525/cancel", "POST /v1/things/:id/cancel 100%25"],
    ["with a percent sign that escapes nothing", "/v1/things/100%/cancel", "POST /v1/things/:id/cancel 100%"],
  ])("%s", async (_, url, served) => expect(await ask("POST", url)).toBe(served));
});

describe("a method that an address does not take is refused", () => {
  it.each([
    ["GET", "/v1/turns", "method_not_allowed POST"],
    ["OPTIONS", "/v1/turns", "method_not_allowed POST"],
    ["POST", "/", "method_not_allowed GET, HEAD"],
    ["PUT", "/v1/things/a", "method_not_allowed GET, HEAD, DELETE"],
    ["GET", "/v1/things/count", "method_not_allowed POST"],
    ["DELETE", "/own/known", "method_not_allowed GET, HEAD"],
  ])("%s %s", async (method, url, refused) => expect(await ask(method, url)).toBe(refused));
});

describe("an address that no route has", () => {
  it.each([
    ["/v1/turn", "unknown"],
    ["/v1/turns/", "unknown"],
    ["//v1/turns", "unknown"],
    ["/v1/things/", "unknown"],
    ["/v1/things/a/b", "unknown"],
    ["/v1/things%2Fa", "unknown"],
    ["/v1/Turns", "unknown"],
    ["/__proto__", "unknown"],
    ["/v1/names/", "unknown"],
    ["/owner", "unknown"],
    ["/own", "rest of own"],
    ["/own/", "rest of own"],
    ["/own/known/x", "rest of own"],
    ["*", "unreadable"],
    ["turns", "unreadable"],
    ["http://[broken", "unreadable"],
    ["/back\\slash", "unreadable"],
  ])("%s leads to what is %s", async (url, served) => expect(await ask("POST", url)).toBe(served));
});

it("a WebSocket handshake has its own route, and is a GET where that is missing", async () => {
  expect(await ask("GET", "/v1/turns", true)).toBe("WS /v1/turns");
  expect(await ask("GET", "/", true)).toBe("GET /");
});
