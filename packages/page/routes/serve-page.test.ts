import { existsSync } from "node:fs";
import { createRoutes } from "@curlew/cli/app/server.js";
import { beforeEach, describe, expect, it } from "vitest";
import { openPage, type PageClient } from "../../../testing/page/page-client.js";
import { ALLOWED_ORIGIN, PageServer, problemOf } from "../../../testing/page/page-server.js";
import { startedEach } from "../../../testing/started.js";

const KEY = "a-gateway-key-0123";

const t = startedEach(() => PageServer.start());

describe("another page", () => {
  let page: PageClient;
  beforeEach(async () => {
    page = await t.getIn();
    t.heard.length = 0;
  });

  const cases: [string, Record<string, string>][] = [
    ["of another site", { "sec-fetch-site": "cross-site" }],
    ["of another port of this host", { "sec-fetch-site": "same-site" }],
    ["of an unknown kind", { "sec-fetch-site": "strange" }],
    ["of a foreign origin", { origin: "https://evil.example" }],
    ["of an allowed origin", { origin: ALLOWED_ORIGIN }],
    ["of an allowed origin, with sec-fetch-site", { origin: ALLOWED_ORIGIN, "sec-fetch-site": "cross-site" }],
    ["with an opaque origin", { origin: "null" }],
    ["of an extension", { origin: "chrome-extension://abc" }],
    ["of the same host and another port", { origin: "http://127.0.0.1:1" }],
  ];

  it.each(cases)("%s cannot use anything, whatever it sends", async (_name, from) => {
    const shown = { cookie: page.cookie, "x-curlew-page": page.proof, ...from };
    for (const { method, path } of apiRoutes()) {
      expect([method, path, await t.askRaw(method, path, shown)]).toEqual([method, path, 403]);
    }
    expect(t.heard).toEqual([]);
  });

  it("cannot change anything by omitting its source", async () => {
    const shown = { cookie: page.cookie, "x-curlew-page": page.proof };
    expect(await t.askRaw("GET", "/admin/api/now", shown)).toBe(200);
    expect(await t.askRaw("POST", "/admin/api/stop-all", shown)).toBe(403);
    expect(await t.askRaw("POST", "/admin/api/stop-all", { ...shown, "sec-fetch-site": "none" })).toBe(403);
    expect(await t.askRaw("DELETE", "/admin/api/session", shown)).toBe(403);
    expect(t.heard).toEqual(["now"]);
    expect(await t.askRaw("POST", "/admin/api/stop-all", { ...shown, origin: t.url })).toBe(200);
    expect(await t.askRaw("POST", "/admin/api/stop-all", { ...shown, "sec-fetch-site": "same-origin" })).toBe(200);
  });

  it("cannot point its own name at this machine", async () => {
    const shown = { cookie: page.cookie, "x-curlew-page": page.proof, "sec-fetch-site": "same-origin" };
    const host = "evil.example";
    for (const path of ["/", "/admin/api/door", "/admin/api/now"]) {
      expect(await t.askRaw("GET", path, { ...shown, host })).toBe(403);
    }
    const origin = `http://${host}`;
    expect(await t.askRaw("POST", "/admin/api/stop-all", { ...shown, host, origin })).toBe(403);
  });
});

const unknownRoutes = ["/admin/api", "/admin/api/", "/admin/api/nothing", "/admin/api/now/x"];

/** Every route of the API, and some that do not exist. */
function apiRoutes(): { method: string; path: string }[] {
  const { router } = createRoutes(t.server.deps);
  const served = router.routes
    .filter(({ path }) => path.startsWith("/admin/api/"))
    .map(({ method, path }) => ({ method, path: path.replace(/:\w+/, "x") }));
  return [...served, ...unknownRoutes.map((path) => ({ method: "GET", path }))];
}

describe("without permission", () => {
  it("only the door answers, and existing addresses look like unknown ones", async () => {
    const open = ["GET /admin/api/door", "POST /admin/api/session"];
    const routes = apiRoutes();
    expect(routes.length).toBeGreaterThan(unknownRoutes.length + open.length);
    const told = new Set<string>();
    for (const { method, path } of [...routes, { method: "PUT", path: "/admin/api/now" }]) {
      if (open.includes(`${method} ${path}`)) continue;
      const response = await fetch(t.url + path, { method, headers: { "sec-fetch-site": "same-origin" } });
      expect([method, path, response.status]).toEqual([method, path, 401]);
      told.add(await response.text());
    }
    expect(t.heard).toEqual([]);
    expect([...told]).toHaveLength(1);
    expect(existsSync(t.secretFile)).toBe(false);
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
      expect([200, 204]).not.toContain(await t.askRaw("GET", path, {}));
    }
    expect(t.heard).toEqual([]);
  });

  it("a browser learns only how the page opens", async () => {
    const response = await fetch(`${t.url}/admin/api/door`);
    expect(await response.json()).toEqual({ isSimulated: true, takesKey: false });
    await t.restart({ key: KEY });
    expect(await (await fetch(`${t.url}/admin/api/door`)).json()).toEqual({ isSimulated: true, takesKey: true });
  });

  it("the key of a client does not help", async () => {
    await t.restart({ key: KEY });
    const headers = { authorization: `Bearer ${KEY}`, "x-api-key": KEY };
    expect((await fetch(`${t.url}/admin/api/now`, { headers })).status).toBe(401);
  });
});

describe("with permission", () => {
  it("routes answer, with their parameters and methods", async () => {
    const page = await t.getIn();
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
  it("has no lines of polling, one for everything else, and no secrets", async () => {
    const link = t.door.links.make();
    const page = await openPage(t.url, { link });
    await (await page.ask("/admin/api/now")).text();
    await (await fetch(`${t.url}/admin/api/door`)).text();
    await (await fetch(`${t.url}/`)).text();
    await (await page.ask("/admin/api/stop-all", { method: "POST" })).text();
    await (await page.ask("/admin/api/nothing")).text();
    await (await fetch(`${t.url}/assets/nothing.js`)).text();
    expect(t.server.requests.map(({ route, status }) => `${route} ${status}`)).toEqual([
      "POST /admin/api/session 200",
      "POST /admin/api/stop-all 200",
      "GET /admin/api/nothing 404",
      "GET /assets/nothing.js 404",
    ]);
    const written = JSON.stringify([t.server.requests, t.server.errors]);
    for (const secret of [link, page.proof, page.cookie.split("=")[1] ?? ""]) expect(written).not.toContain(secret);
  });
});
