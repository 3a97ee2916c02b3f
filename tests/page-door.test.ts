import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { askIn, newLink, openPage, secretIn } from "../testing/page/page-client.js";
import { startedOnce } from "../testing/started.js";

const system = startedOnce(() => startWholeSystem({}, { key: "a-gateway-key-0123" }));

const html = { accept: "text/html,*/*;q=0.8" };
const getIn = async (url = system.url) => openPage(url, { link: secretIn(await newLink(system.home, url)) });

describe("the page", () => {
  it("is served to every browser without a key, with all files that it loads", async () => {
    const response = await fetch(system.url, { headers: html });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const page = await response.text();
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => new URL(path, system.url));
    expect(loaded.length).toBeGreaterThan(2);
    for (const { origin, href } of loaded) {
      expect(origin).toBe(system.url);
      const file = await fetch(href);
      expect([href, file.status, file.headers.get("x-content-type-options")]).toEqual([href, 200, "nosniff"]);
      expect(file.headers.get("cache-control")).toContain("immutable");
    }
    // The policy allows no inline scripts or styles.
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
  });

  it("is a list of routes for other clients, also without a key", async () => {
    const response = await fetch(system.url);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    const about: { routes: Record<string, string> } = JSON.parse(await response.text());
    expect(about).toMatchObject({
      name: "Curlew",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      description: "/openapi.json",
      page: "Open this address in a browser, or run: curlew dashboard",
    });
    expect(about.routes).toMatchObject({
      "GET /": expect.any(String),
      "POST /v1/chat/completions": expect.any(String),
      "POST /v1/messages": expect.any(String),
      "GET /v1/models": expect.any(String),
    });
    expect(JSON.stringify(about)).not.toMatch(/admin|stop-all|page-link/);
  });
});

describe("access to the page", () => {
  it("is granted by a link, for all gateways of the home and after a restart", async () => {
    const page = await getIn();
    const another = await system.startAnother();
    for (const url of [system.url, another]) {
      const response = await fetch(`${url}/admin/api/nothing`, { headers: page.headers });
      expect([response.status, response.headers.get("cache-control")]).toEqual([404, "no-store"]);
    }
    expect(statSync(join(system.home, "page.secret")).mode & 0o777).toBe(0o600);
    // A link, unlike a session, works only on the gateway that made it.
    const link = secretIn(await newLink(system.home, system.url));
    expect((await askIn(another, { link })).status).toBe(401);
  });

  it("is not granted by a session of another home", async () => {
    const other = await startWholeSystem();
    const theirs = await openPage(other.url, { link: secretIn(await newLink(other.home, other.url)) });
    const response = await fetch(`${system.url}/admin/api/nothing`, { headers: theirs.headers });
    expect(response.status).toBe(401);
    await other.close();
  });

  it("is not granted without the owner's files", async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${system.url}/curlew/page-link`, { method: "POST", headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ "x-curlew-control": "x".repeat(43) })).status).toBe(401);
    expect((await ask({ authorization: "Bearer a-gateway-key-0123" })).status).toBe(401);
    const page = await getIn();
    expect((await ask({ ...page.headers, origin: system.url })).status).toBe(403);
    expect(
      await (await fetch(`${system.url}/openapi.json`, { headers: { "x-api-key": "a-gateway-key-0123" } })).text(),
    ).not.toMatch(/page-link|admin\/api/);
  });

  it("is granted by the gateway's own key, with a session that opens nothing else", async () => {
    const page = await openPage(system.url, { key: "a-gateway-key-0123" });
    expect((await page.ask("/admin/api/nothing")).status).toBe(404);
    expect((await page.ask("/v1/models")).status).toBe(401);
  });
});

const views = ["now", "live", "plan", "requests", "requests/x", "usage", "models", "clients", "nothing"];
const everything = [
  ...views.map((path) => ({ method: "GET", path })),
  ...["stop-all", "chat/completions"].map((path) => ({ method: "POST", path })),
];

it.each(everything)("no one else gets an answer from $method $path", async ({ method, path }) => {
  const page = await getIn();
  const { cookie, "x-curlew-page": proof = "", ...site } = page.headers;
  const ask = (headers: Record<string, string | undefined>) => {
    const sent = Object.entries({ authorization: "Bearer a-gateway-key-0123", ...headers });
    const init = {
      method,
      headers: sent.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : [])),
    };
    return fetch(`${system.url}/admin/api/${path}`, init);
  };
  const bodies = [
    site,
    { ...site, cookie },
    { ...site, "x-curlew-page": proof },
    { ...site, cookie, "x-curlew-page": "x" },
  ];
  for (const headers of bodies) {
    const response = await ask(headers);
    expect([response.status, JSON.parse(await response.text())]).toMatchObject([
      401,
      { error: { code: "page_closed" } },
    ]);
  }
  for (const from of ["cross-site", "same-site"]) {
    expect((await ask({ ...page.headers, "sec-fetch-site": from })).status).toBe(403);
  }
});

it("every answer for the page has headers that protect it", async () => {
  const page = await getIn();
  const answers = [
    await page.ask("/admin/api/door"),
    await page.ask("/admin/api/nothing"),
    await page.ask("/admin/api/session", { method: "DELETE" }),
    await fetch(`${system.url}/admin/api/now`),
    await fetch(`${system.url}/admin/api/now`, { headers: { "sec-fetch-site": "cross-site" } }),
    await askIn(system.url, { link: "wrong" }),
    await askIn(system.url, { key: "wrong" }),
    await askIn(system.url, {}),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 204, 401, 403, 401, 401, 400]);
  for (const { headers } of answers) {
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
    expect(headers.has("access-control-allow-origin")).toBe(false);
  }
});
