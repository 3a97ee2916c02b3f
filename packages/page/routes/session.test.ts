import { rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { makeKey, writeKeys } from "@curlew/meter/keys/key-file.js";
import { beforeEach, describe, expect, it } from "vitest";
import { askIn, openPage, type PageClient } from "../../../testing/page/page-client.js";
import { PageServer, problemOf } from "../../../testing/page/page-server.js";
import { startedEach } from "../../../testing/started.js";
import { replaceSecret } from "../access/index.js";

const KEY = "a-gateway-key-0123";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const t = startedEach(() => PageServer.start());

describe("a link", () => {
  it("opens the page once, and the cookie is hidden from scripts and other sites", async () => {
    const link = t.door.links.make();
    const response = await askIn(t.url, { link });
    expect([response.status, await response.json()]).toEqual([200, { proof: expect.stringMatching(/^[\w-]{43}$/) }]);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^curlew_page_[\w-]{8}=[\w.-]+; Path=\/admin\/api; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(await problemOf(await askIn(t.url, { link }))).toMatchObject({
      status: 401,
      code: "page_closed",
      message: expect.stringMatching(/^This link was used already.*run: curlew dashboard$/),
    });
  });

  it("is refused after ten minutes, when made up, or in another gateway", async () => {
    const [old, foreign] = [t.door.links.make(), t.newDoor().links.make()];
    t.clock.advance(10 * MINUTE_MS);
    for (const link of [old, foreign, "", "x".repeat(43)]) {
      const response = await askIn(t.url, { link });
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(await problemOf(response)).toMatchObject({ status: 401, code: "page_closed" });
    }
  });

  it("works for only one of many concurrent requests", async () => {
    const link = t.door.links.make();
    const answers = await Promise.all(Array.from({ length: 20 }, () => askIn(t.url, { link })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 401)]);
  });

  it("marks the cookie as secure if a proxy serves the page by https", async () => {
    await t.restart({ allowedHosts: ["ai.example.com"] });
    const body = JSON.stringify({ link: t.door.links.make() });
    const cookie = await new Promise<string[] | undefined>((resolve, reject) => {
      const headers = { host: "ai.example.com", origin: "https://ai.example.com", "content-type": "application/json" };
      const asking = request(`${t.url}/admin/api/session`, { method: "POST", headers }, (response) => {
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
    writeKeys(join(t.home, "keys.json"), [stored]);
    return secret;
  };

  it("opens the page if it is the gateway's own", async () => {
    await t.restart({ key: KEY });
    const page = await openPage(t.url, { key: KEY });
    expect((await page.ask("/admin/api/now")).status).toBe(200);
  });

  it("is void once the gateway has another, with all sessions that it opened", async () => {
    await t.restart({ key: KEY });
    const { headers } = await openPage(t.url, { key: KEY });
    const statusNow = async () => (await fetch(`${t.url}/admin/api/now`, { headers })).status;
    await t.restart({ key: `${KEY}4` });
    expect(await statusNow()).toBe(401);
    await t.restart({ key: KEY });
    expect(await statusNow()).toBe(200);
  });

  it("is refused if it is wrong, or made by curlew keys", async () => {
    const laptop = named();
    await t.restart({ key: KEY });
    const refusals = {
      [`${KEY}4`]: /^This is not the gateway's key\./,
      [laptop]: /^This key was made by curlew keys. Such keys are for/,
    };
    for (const [key, message] of Object.entries(refusals)) {
      const refused = { status: 401, code: "invalid_gateway_key", message: expect.stringMatching(message) };
      expect(await problemOf(await askIn(t.url, { key }))).toMatchObject(refused);
    }
  });

  it("is refused if the gateway has none of its own", async () => {
    const laptop = named();
    await t.restart();
    for (const key of [laptop, "", KEY]) {
      expect(await problemOf(await askIn(t.url, { key }))).toMatchObject({ status: 401 });
    }
  });

  it("opens the page even if a named key is the same", async () => {
    const laptop = named();
    await t.restart({ key: laptop });
    expect((await askIn(t.url, { key: laptop })).status).toBe(200);
  });

  it("cannot be guessed: after ten wrong ones in a minute, all are refused until it is over", async () => {
    await t.restart({ key: KEY });
    const statuses: number[] = [];
    for (let at = 0; at < 500; at++) statuses.push((await askIn(t.url, { key: `guess ${at}` })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), ...Array.from({ length: 490 }, () => 429)]);
    const right = await askIn(t.url, { key: KEY });
    expect([right.status, right.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await problemOf(right)).toMatchObject({ message: expect.stringContaining("Wait a minute") });
    // A link cannot be guessed, so it needs no such limit.
    expect((await askIn(t.url, { link: t.door.links.make() })).status).toBe(200);
    t.clock.advance(MINUTE_MS);
    expect((await askIn(t.url, { key: KEY })).status).toBe(200);
  });

  // On a Mac, 127.0.0.2 has to be set up first.
  it.skipIf(process.platform === "darwin")("is accepted despite wrong ones from another address", async () => {
    await t.restart({ key: KEY });
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
    const ask = (key: string, from: string) =>
      t.askRaw("POST", "/admin/api/session", headers, { body: JSON.stringify({ key }), from });
    for (let at = 0; at < 11; at++) await ask(`guess ${at}`, "127.0.0.2");
    expect([await ask(KEY, "127.0.0.2"), await ask(KEY, "127.0.0.1")]).toEqual([429, 200]);
  });
});

describe("a request to open a session", () => {
  it.each([
    ["nothing", {}],
    ["both", { link: "a", key: "b" }],
    ["something else", { password: "a" }],
    ["a number", { link: 5 }],
    ["a list", ["a"]],
  ])("is refused with %s", async (_, question) => {
    expect(await problemOf(await askIn(t.url, question))).toMatchObject({ status: 400, code: "invalid_request" });
  });

  it("is refused if its body is not JSON, or too large", async () => {
    const post = (body: string, type: string) =>
      fetch(`${t.url}/admin/api/session`, {
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
    page = await t.getIn();
  });

  const statusWith = async (headers: Record<string, string>) =>
    (await fetch(`${t.url}/admin/api/now`, { headers: { "sec-fetch-site": "same-origin", ...headers } })).status;
  const statusOf = ({ cookie, proof }: PageClient) => statusWith({ cookie, "x-curlew-page": proof });

  it("needs cookie and proof of the same session", async () => {
    const { cookie, proof } = page;
    const other = await t.getIn();
    expect(await statusWith({ cookie, "x-curlew-page": proof })).toBe(200);
    t.heard.length = 0;
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ cookie })).toBe(401);
    expect(await statusWith({ "x-curlew-page": proof })).toBe(401);
    expect(await statusWith({ cookie, "x-curlew-page": other.proof })).toBe(401);
    expect(await statusWith({ cookie, "x-curlew-page": "" })).toBe(401);
    expect(await statusWith({ cookie, authorization: `Bearer ${proof}` })).toBe(401);
    expect(t.heard).toEqual([]);
  });

  it("survives a restart, and lasts 30 days", async () => {
    await t.restart();
    t.clock.advance(30 * DAY_MS - 1);
    expect(await statusOf(page)).toBe(200);
    t.clock.advance(1);
    expect(await statusOf(page)).toBe(401);
  });

  it("belongs to one home", async () => {
    rmSync(t.secretFile);
    await t.restart();
    expect(await statusOf(page)).toBe(401);
    const another = await t.getIn();
    expect(another.cookie.split("=")[0]).not.toBe(page.cookie.split("=")[0]);
    expect(await statusWith({ cookie: `${page.cookie}; ${another.cookie}`, "x-curlew-page": another.proof })).toBe(200);
  });

  it("ends within a second when the secret is replaced, and links become void", async () => {
    const link = t.door.links.make();
    replaceSecret(t.secretFile);
    t.clock.advance(1_000);
    expect(await statusOf(page)).toBe(401);
    expect((await askIn(t.url, { link })).status).toBe(401);
    expect((await (await t.getIn()).ask("/admin/api/now")).status).toBe(200);
  });

  it("ends streams that are still being read", async () => {
    const response = await page.ask("/admin/api/live");
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(": alive\n\n");
    t.clock.advance(5_000);
    replaceSecret(t.secretFile);
    const end = reader?.read().then(
      () => "ended",
      () => "cut",
    );
    t.clock.advance(2_000);
    expect(await end).toBe("cut");
  });

  it("can be closed in its browser", async () => {
    const response = await page.ask("/admin/api/session", { method: "DELETE" });
    expect(response.status).toBe(204);
    const name = page.cookie.split("=")[0];
    expect(response.headers.getSetCookie()).toEqual([
      `${name}=; Path=/admin/api; Max-Age=0; HttpOnly; SameSite=Strict`,
    ]);
  });

  it("continues in a browser that has the pages of both gateways of a home open", async () => {
    const first = t.server;
    const second = await t.startAnother();
    const other = await openPage(second.url, { link: t.door.links.make() }, { cookie: page.cookie });
    // Cookies ignore ports: the newer one has replaced the other.
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
