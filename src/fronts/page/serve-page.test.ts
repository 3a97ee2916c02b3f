import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedServer, startScriptedServer } from "../../../testing/gateway/scripted-server.js";
import { ManualClock } from "../../../testing/manual-clock.js";
import { askIn, openPage, type PageClient } from "../../../testing/page/page-client.js";
import { openKeys } from "../../keys/index.js";
import { makeKey, writeKeys } from "../../keys/key-file.js";
import { openPageDoor, type PageDoor, replaceSecret } from "../../page/index.js";
import { createRoutes } from "../../server.js";
import type { PageRoute } from "./page-route.js";

const KEY = "a-gateway-key-0123";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const OTHERS = "https://app.example";

let home: string;
let clock: ManualClock;
let door: PageDoor;
let server: ScriptedServer;
/** What the routes behind the door have heard. */
let heard: string[];

const secretFile = () => join(home, "page.secret");
const newDoor = (key?: string) =>
  openPageDoor({
    path: secretFile(),
    key,
    clock,
    onProblem: (problem) => {
      throw problem;
    },
  });

const api: readonly PageRoute[] = [
  {
    method: "GET",
    path: "/admin/api/now",
    handler: () => {
      heard.push("now");
      return Response.json({ nowMs: 1 });
    },
  },
  {
    method: "GET",
    path: "/admin/api/requests/:id",
    handler: (c) => {
      heard.push("request");
      return Response.json({ id: c.req.param("id") });
    },
  },
  {
    method: "GET",
    path: "/admin/api/live",
    handler: () => {
      const stream = new ReadableStream({ start: (controller) => controller.enqueue(": alive\n\n") });
      return new Response(stream.pipeThrough(new TextEncoderStream()), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  },
  {
    method: "POST",
    path: "/admin/api/stop-all",
    handler: () => {
      heard.push("stop-all");
      return Response.json({ replies: 0, waiting: 0 });
    },
  },
];

async function start({ key }: { key?: string | undefined } = {}): Promise<ScriptedServer> {
  door = newDoor(key);
  const path = join(home, "keys.json");
  const keys = openKeys({
    path,
    key,
    host: "127.0.0.1",
    allowedHosts: [],
    elapsed: clock.elapsed,
    onProblem: () => {},
  });
  return startScriptedServer({
    clock,
    keys,
    config: { corsOrigins: [OTHERS] },
    page: { door, newLink: () => "", isSimulated: true, api: () => api },
  });
}

async function restart(options?: Parameters<typeof start>[0]): Promise<void> {
  await server.close();
  server = await start(options);
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "curlew-door-"));
  clock = new ManualClock();
  heard = [];
  server = await start();
});
afterEach(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

const getIn = () => openPage(server.url, { link: door.links.make() });

async function problemOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { error }: { error: { code: string; message: string } } = JSON.parse(await response.text());
  return { status: response.status, code: error.code, message: error.message };
}

/** A request with headers that `fetch` does not let one set, and from an address of this machine. */
function askRaw(
  method: string,
  path: string,
  headers: Record<string, string>,
  { body = "", from = "127.0.0.1" } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request(server.url + path, { method, headers, localAddress: from }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    asking.once("error", reject).end(body);
  });
}

describe("a link", () => {
  it("opens the page once, and the cookie is hidden from scripts and other sites", async () => {
    const link = door.links.make();
    const response = await askIn(server.url, { link });
    expect([response.status, await response.json()]).toEqual([200, { proof: expect.stringMatching(/^[\w-]{43}$/) }]);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^curlew_page_[\w-]{8}=[\w.-]+; Path=\/admin\/api; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(await problemOf(await askIn(server.url, { link }))).toMatchObject({
      status: 401,
      code: "page_closed",
      message: expect.stringMatching(/^This link was used already.*run: curlew dashboard$/),
    });
  });

  it("opens nothing after ten minutes, when it is made up, or in another gateway", async () => {
    const [old, foreign] = [door.links.make(), newDoor().links.make()];
    clock.advance(10 * MINUTE_MS);
    for (const link of [old, foreign, "", "x".repeat(43)]) {
      const response = await askIn(server.url, { link });
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(await problemOf(response)).toMatchObject({ status: 401, code: "page_closed" });
    }
  });

  it("is used up by one of many who come at once", async () => {
    const link = door.links.make();
    const answers = await Promise.all(Array.from({ length: 20 }, () => askIn(server.url, { link })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 401)]);
  });

  it("marks the cookie as secure where a proxy serves the page by https", async () => {
    await server.close();
    const allowedHosts = ["ai.example.com"];
    const page = { door, newLink: () => "", isSimulated: true, api: () => api };
    server = await startScriptedServer({ clock, page, config: { allowedHosts } });
    const body = JSON.stringify({ link: door.links.make() });
    const cookie = await new Promise<string[] | undefined>((resolve, reject) => {
      const headers = { host: "ai.example.com", origin: "https://ai.example.com", "content-type": "application/json" };
      const asking = request(`${server.url}/admin/api/session`, { method: "POST", headers }, (response) => {
        response.resume();
        resolve(response.headers["set-cookie"]);
      });
      asking.once("error", reject).end(body);
    });
    expect(cookie).toEqual([expect.stringMatching(/; SameSite=Strict; Secure$/)]);
  });
});

describe("a key", () => {
  const named = () => {
    const { secret, stored } = makeKey("laptop", {}, 0);
    writeKeys(join(home, "keys.json"), [stored]);
    return secret;
  };

  it("opens the page if it is the gateway's own", async () => {
    await restart({ key: KEY });
    const page = await openPage(server.url, { key: KEY });
    expect((await page.ask("/admin/api/now")).status).toBe(200);
  });

  it("opens nothing any more once the gateway has another, in no browser that it was used in", async () => {
    await restart({ key: KEY });
    const { headers } = await openPage(server.url, { key: KEY });
    const statusNow = async () => (await fetch(`${server.url}/admin/api/now`, { headers })).status;
    await restart({ key: `${KEY}4` });
    expect(await statusNow()).toBe(401);
    await restart({ key: KEY });
    expect(await statusNow()).toBe(200);
  });

  it("opens nothing if it is wrong, or one of curlew keys", async () => {
    const laptop = named();
    await restart({ key: KEY });
    expect(await problemOf(await askIn(server.url, { key: `${KEY}4` }))).toMatchObject({
      status: 401,
      code: "invalid_gateway_key",
      message: expect.stringMatching(/^This is not the gateway's key\./),
    });
    expect(await problemOf(await askIn(server.url, { key: laptop }))).toMatchObject({
      status: 401,
      code: "invalid_gateway_key",
      message: expect.stringMatching(/^This key is one of curlew keys, which are for clients/),
    });
  });

  it("opens nothing where the gateway has none of its own", async () => {
    const laptop = named();
    await restart();
    for (const key of [laptop, "", KEY]) {
      expect(await problemOf(await askIn(server.url, { key }))).toMatchObject({ status: 401 });
    }
  });

  it("opens the page also if a named key is the same", async () => {
    const laptop = named();
    await restart({ key: laptop });
    expect((await askIn(server.url, { key: laptop })).status).toBe(200);
  });

  it("cannot be guessed: after ten wrong ones in a minute, none is looked at until it is over", async () => {
    await restart({ key: KEY });
    const statuses: number[] = [];
    for (let at = 0; at < 500; at++) statuses.push((await askIn(server.url, { key: `guess ${at}` })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), ...Array.from({ length: 490 }, () => 429)]);
    const right = await askIn(server.url, { key: KEY });
    expect([right.status, right.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await problemOf(right)).toMatchObject({ message: expect.stringContaining("Wait a minute") });
    // A link cannot be guessed, so it needs no such limit.
    expect((await askIn(server.url, { link: door.links.make() })).status).toBe(200);
    clock.advance(MINUTE_MS);
    expect((await askIn(server.url, { key: KEY })).status).toBe(200);
  });

  // On a Mac, 127.0.0.2 has to be set up first.
  it.skipIf(process.platform === "darwin")("is taken however many wrong ones come from another address", async () => {
    await restart({ key: KEY });
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
    const ask = (key: string, from: string) =>
      askRaw("POST", "/admin/api/session", headers, { body: JSON.stringify({ key }), from });
    for (let at = 0; at < 11; at++) await ask(`guess ${at}`, "127.0.0.2");
    expect([await ask(KEY, "127.0.0.2"), await ask(KEY, "127.0.0.1")]).toEqual([429, 200]);
  });
});

describe("what is no way in", () => {
  it.each([
    ["nothing", {}],
    ["both", { link: "a", key: "b" }],
    ["something else", { password: "a" }],
    ["a number", { link: 5 }],
    ["a list", ["a"]],
  ])("is %s", async (_, question) => {
    expect(await problemOf(await askIn(server.url, question))).toMatchObject({ status: 400, code: "invalid_request" });
  });

  it("is a body that is no JSON, or too large", async () => {
    const post = (body: string, type: string) =>
      fetch(`${server.url}/admin/api/session`, {
        method: "POST",
        headers: { "content-type": type, "sec-fetch-site": "same-origin" },
        body,
      });
    expect((await post("{", "application/json")).status).toBe(400);
    expect((await post("{}", "text/plain")).status).toBe(415);
    expect((await post(JSON.stringify({ key: "x".repeat(4_096) }), "application/json")).status).toBe(413);
  });
});

describe("a session", () => {
  let page: PageClient;
  beforeEach(async () => {
    page = await getIn();
  });

  const statusWith = async (headers: Record<string, string>) =>
    (await fetch(`${server.url}/admin/api/now`, { headers: { "sec-fetch-site": "same-origin", ...headers } })).status;

  it("needs cookie and proof, both of the same", async () => {
    const { cookie, proof } = page;
    const other = await getIn();
    expect(await statusWith({ cookie, "x-curlew-page": proof })).toBe(200);
    heard = [];
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ cookie })).toBe(401);
    expect(await statusWith({ "x-curlew-page": proof })).toBe(401);
    expect(await statusWith({ cookie, "x-curlew-page": other.proof })).toBe(401);
    expect(await statusWith({ cookie, "x-curlew-page": "" })).toBe(401);
    expect(await statusWith({ cookie, authorization: `Bearer ${proof}` })).toBe(401);
    expect(heard).toEqual([]);
  });

  it("lasts over a restart, and 30 days", async () => {
    const { cookie, proof } = page;
    await restart();
    clock.advance(30 * DAY_MS - 1);
    expect(await statusWith({ cookie, "x-curlew-page": proof })).toBe(200);
    clock.advance(1);
    expect(await statusWith({ cookie, "x-curlew-page": proof })).toBe(401);
  });

  it("is of one home", async () => {
    const { cookie, proof } = page;
    rmSync(secretFile());
    await restart();
    expect(await statusWith({ cookie, "x-curlew-page": proof })).toBe(401);
    const another = await getIn();
    expect(another.cookie.split("=")[0]).not.toBe(cookie.split("=")[0]);
    expect(await statusWith({ cookie: `${cookie}; ${another.cookie}`, "x-curlew-page": another.proof })).toBe(200);
  });

  it("is over within a second when the secret is replaced, and links are void", async () => {
    const { cookie, proof } = page;
    const link = door.links.make();
    replaceSecret(secretFile());
    clock.advance(1_000);
    expect(await statusWith({ cookie, "x-curlew-page": proof })).toBe(401);
    expect((await askIn(server.url, { link })).status).toBe(401);
    expect((await (await getIn()).ask("/admin/api/now")).status).toBe(200);
  });

  it("ends a stream that is still being read", async () => {
    const response = await page.ask("/admin/api/live");
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(": alive\n\n");
    clock.advance(5_000);
    replaceSecret(secretFile());
    const end = reader?.read().then(
      () => "ended",
      () => "cut",
    );
    clock.advance(2_000);
    expect(await end).toBe("cut");
  });

  it("is signed out in its browser", async () => {
    const response = await page.ask("/admin/api/session", { method: "DELETE" });
    expect(response.status).toBe(204);
    const name = page.cookie.split("=")[0];
    expect(response.headers.getSetCookie()).toEqual([
      `${name}=; Path=/admin/api; Max-Age=0; HttpOnly; SameSite=Strict`,
    ]);
  });

  it("goes on in the pages of both gateways of a home that a browser has open", async () => {
    const first = server;
    const second = await start();
    const other = await openPage(second.url, { link: door.links.make() }, { cookie: page.cookie });
    // Cookies know no ports: the newer one has replaced the other.
    const headers = { cookie: other.cookie, "sec-fetch-site": "same-origin" };
    for (const [{ url }, proof] of [
      [first, page.proof],
      [second, other.proof],
    ] as const) {
      const response = await fetch(`${url}/admin/api/now`, { headers: { ...headers, "x-curlew-page": proof } });
      expect(response.status).toBe(200);
    }
    await second.close();
  });
});

describe("another page", () => {
  let page: PageClient;
  beforeEach(async () => {
    page = await getIn();
    heard = [];
  });

  const cases: [string, Record<string, string>][] = [
    ["of another site", { "sec-fetch-site": "cross-site" }],
    ["of another port of this host", { "sec-fetch-site": "same-site" }],
    ["of an unknown kind", { "sec-fetch-site": "strange" }],
    ["of a foreign origin", { origin: "https://evil.example" }],
    ["of an allowed origin", { origin: OTHERS }],
    ["of an allowed origin, in a browser that says more", { origin: OTHERS, "sec-fetch-site": "cross-site" }],
    ["without an origin of its own", { origin: "null" }],
    ["of an extension", { origin: "chrome-extension://abc" }],
    ["of the same host and another port", { origin: "http://127.0.0.1:1" }],
  ];

  it.each(cases)("%s cannot use anything, whatever it shows", async (_name, from) => {
    const shown = { cookie: page.cookie, "x-curlew-page": page.proof, ...from };
    for (const { method, path } of apiRoutes()) {
      expect([method, path, await askRaw(method, path, shown)]).toEqual([method, path, 403]);
    }
    expect(heard).toEqual([]);
  });

  it("may not be left out where something changes", async () => {
    const shown = { cookie: page.cookie, "x-curlew-page": page.proof };
    expect(await askRaw("GET", "/admin/api/now", shown)).toBe(200);
    expect(await askRaw("POST", "/admin/api/stop-all", shown)).toBe(403);
    expect(await askRaw("POST", "/admin/api/stop-all", { ...shown, "sec-fetch-site": "none" })).toBe(403);
    expect(await askRaw("DELETE", "/admin/api/session", shown)).toBe(403);
    expect(heard).toEqual(["now"]);
    expect(await askRaw("POST", "/admin/api/stop-all", { ...shown, origin: server.url })).toBe(200);
    expect(await askRaw("POST", "/admin/api/stop-all", { ...shown, "sec-fetch-site": "same-origin" })).toBe(200);
  });

  it("cannot point its own name at this machine", async () => {
    const shown = { cookie: page.cookie, "x-curlew-page": page.proof, "sec-fetch-site": "same-origin" };
    const host = "evil.example";
    for (const path of ["/", "/admin/api/door", "/admin/api/now"]) {
      expect(await askRaw("GET", path, { ...shown, host })).toBe(403);
    }
    const origin = `http://${host}`;
    expect(await askRaw("POST", "/admin/api/stop-all", { ...shown, host, origin })).toBe(403);
  });
});

/** Every route of the API, and some that do not exist. */
function apiRoutes(): { method: string; path: string }[] {
  const { app } = createRoutes(server.deps);
  const served = app.routes
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/admin/api/"))
    .map(({ method, path }) => ({ method, path: path.replace(/:\w+/, "x") }));
  const unknown = ["/admin/api", "/admin/api/", "/admin/api/nothing", "/admin/api/now/x"];
  return [...served, ...unknown.map((path) => ({ method: "GET", path }))];
}

describe("without permission", () => {
  it("nothing but the door answers, and all that exists looks like all that does not", async () => {
    const open = ["GET /admin/api/door", "POST /admin/api/session"];
    const routes = apiRoutes();
    expect(routes.length).toBeGreaterThan(api.length + open.length);
    const told = new Set<string>();
    for (const { method, path } of [...routes, { method: "PUT", path: "/admin/api/now" }]) {
      if (open.includes(`${method} ${path}`)) continue;
      const response = await fetch(server.url + path, { method, headers: { "sec-fetch-site": "same-origin" } });
      expect([method, path, response.status]).toEqual([method, path, 401]);
      told.add(await response.text());
    }
    expect(heard).toEqual([]);
    expect([...told]).toHaveLength(1);
    expect(existsSync(secretFile())).toBe(false);
  });

  it("no other way of writing an address leads there", async () => {
    const paths = [
      "//admin/api/now",
      "/admin//api/now",
      "/Admin/API/now",
      "/admin/api/../api/now",
      "/x/../admin/api/now",
    ];
    for (const path of [...paths, "/%61dmin/api/now", "/admin%2fapi%2fnow", "/admin/api/now?x=1", "/admin/api/now/"]) {
      expect([200, 204]).not.toContain(await askRaw("GET", path, {}));
    }
    expect(heard).toEqual([]);
  });

  it("a browser is told how the page opens, and no more", async () => {
    const response = await fetch(`${server.url}/admin/api/door`);
    expect(await response.json()).toEqual({ isSimulated: true, takesKey: false });
    await restart({ key: KEY });
    expect(await (await fetch(`${server.url}/admin/api/door`)).json()).toEqual({ isSimulated: true, takesKey: true });
  });

  it("the key of a client does not help", async () => {
    await restart({ key: KEY });
    const headers = { authorization: `Bearer ${KEY}`, "x-api-key": KEY };
    expect((await fetch(`${server.url}/admin/api/now`, { headers })).status).toBe(401);
  });
});

describe("with permission", () => {
  it("routes answer, with their parameters and methods", async () => {
    const page = await getIn();
    expect(await (await page.ask("/admin/api/requests/a-1")).json()).toEqual({ id: "a-1" });
    expect((await page.ask("/admin/api/now", { method: "HEAD" })).status).toBe(200);
    expect((await page.ask("/admin/api/now", { method: "POST" })).status).toBe(405);
    expect((await page.ask("/admin/api/stop-all")).status).toBe(405);
    expect((await page.ask("/admin/api/session")).status).toBe(405);
    expect(await problemOf(await page.ask("/admin/api/nothing"))).toMatchObject({
      status: 404,
      code: "route_not_found",
    });
  });
});

describe("the log", () => {
  it("has nothing of what the page asks again and again, a line for all else, and no secret", async () => {
    const link = door.links.make();
    const page = await openPage(server.url, { link });
    await (await page.ask("/admin/api/now")).text();
    await (await fetch(`${server.url}/admin/api/door`)).text();
    await (await fetch(`${server.url}/`)).text();
    await (await page.ask("/admin/api/stop-all", { method: "POST" })).text();
    await (await page.ask("/admin/api/nothing")).text();
    await (await fetch(`${server.url}/assets/nothing.js`)).text();
    expect(server.requests.map(({ route, status }) => `${route} ${status}`)).toEqual([
      "POST /admin/api/session 200",
      "POST /admin/api/stop-all 200",
      "GET /admin/api/nothing 404",
      "GET /assets/nothing.js 404",
    ]);
    const written = JSON.stringify([server.requests, server.errors]);
    for (const secret of [link, page.proof, page.cookie.split("=")[1] ?? ""]) expect(written).not.toContain(secret);
  });
});
