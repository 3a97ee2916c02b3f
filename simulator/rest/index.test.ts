import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { challengeOf } from "../auth/logins.js";
import { defaultOptions, type Simulator, startSimulator } from "../index.js";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.configure(defaultOptions);
  simulator.reset();
});

interface Init {
  key?: string;
  authorization?: string;
  cookie?: string;
  body?: unknown;
}

describe.each(["1.1", "2"] as const)("over HTTP/%s", (httpVersion) => {
  let session: ClientHttp2Session | undefined;
  afterAll(() => session?.destroy());

  async function call(method: string, path: string, { key, authorization, cookie, body }: Init = {}) {
    const bearer = key === undefined ? authorization : `Bearer ${key}`;
    const headers = {
      "content-type": "application/json",
      ...(bearer !== undefined && { authorization: bearer }),
      ...(cookie !== undefined && { cookie }),
    };
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const answer =
      httpVersion === "2" ? await overHttp2(method, path, headers, text) : await overHttp1(method, path, headers, text);
    const isJson = answer.headers.get("content-type")?.includes("json");
    return { ...answer, body: isJson ? JSON.parse(answer.body) : answer.body };
  }

  async function overHttp1(method: string, path: string, headers: Record<string, string>, body = "") {
    const response = await fetch(simulator.url + path, { method, headers, ...(body !== "" && { body }) });
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  async function overHttp2(method: string, path: string, headers: Record<string, string>, body = "") {
    session ??= connect(simulator.url);
    const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: false });
    stream.setEncoding("utf8").end(body);
    const [{ ":status": status, ...fields }] = await once(stream, "response");
    let text = "";
    for await (const chunk of stream) text += chunk;
    return { status, headers: new Headers(Object.entries<string>(fields)), body: text };
  }

  const exchange = (key: string) => call("POST", "/auth/exchange_user_api_key", { key, body: {} });
  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

  describe("exchanging an API key", () => {
    it("gives two tokens of equal life", async () => {
      simulator.configure({ tokenTtlSeconds: 90 });
      const before = Math.floor(Date.now() / 1_000);
      const { status, body } = await exchange("crsr_mine");
      expect(status).toBe(200);
      const [access, refresh] = [claimsOf(body.accessToken), claimsOf(body.refreshToken)];
      expect(access).toMatchObject({ type: "api_key_token", exp: refresh.exp });
      expect(access.exp - before).toBeGreaterThanOrEqual(90);
      expect(access.exp - before).toBeLessThan(100);
    });

    it.each([
      ["crsr_bad_one", 401, { error: "Invalid User API Key" }],
      ["crsr_revoked", 401, { error: "Invalid User API Key" }],
      ["sk-other", 401, { error: "Invalid User API Key" }],
      ["crsr_policy", 403, { error: "sign_in_policy_violation" }],
      ["crsr_500", 500, { error: "Internal Server Error" }],
      ["crsr_429", 429, { error: "Too many requests" }],
    ])("answers %s with %i", async (key, status, body) => {
      expect(await exchange(key)).toMatchObject({ status, body });
      expect(simulator.stats().exchanges).toBe(1);
    });

    it("refuses a token in the place of a key", async () => {
      const { body } = await exchange("crsr_mine");
      expect((await exchange(body.accessToken)).status).toBe(401);
    });

    it("says how long to wait when it is asked too often", async () => {
      expect((await exchange("crsr_429")).headers.get("retry-after")).toBe("1");
    });

    it("lets a slow key wait", async () => {
      const order: string[] = [];
      const slow = exchange("crsr_slow200").then(({ status }) => order.push(`slow ${status}`));
      await exchange("crsr_quick").then(() => order.push("quick"));
      await slow;
      expect(order).toEqual(["quick", "slow 200"]);
    });

    it("fails as often as it was told to, then recovers", async () => {
      simulator.configure({ exchange: "fail-2" });
      const statuses = [await exchange("crsr_a"), await exchange("crsr_a"), await exchange("crsr_a")];
      expect(statuses.map(({ status }) => status)).toEqual([500, 500, 200]);
    });

    it("refuses every key when it was told to", async () => {
      simulator.configure({ exchange: "refuse" });
      expect((await exchange("crsr_a")).status).toBe(401);
      expect((await exchange("crsr_a")).status).toBe(401);
    });
  });

  describe("a browser login", () => {
    const verifier = "v".repeat(43);
    const challenge = challengeOf(verifier);
    const post = (uuid: string, text = verifier) => call("POST", "/auth/poll", { body: { uuid, verifier: text } });
    const get = (uuid: string) => call("GET", `/auth/poll?uuid=${uuid}&verifier=${verifier}`);
    const openPage = (uuid: string) => call("GET", `/loginDeepControl?challenge=${challenge}&uuid=${uuid}&mode=login`);
    const sayYes = (uuid: string) => call("POST", "/api/auth/loginDeepCallbackControl", { body: { uuid, challenge } });

    it("is done with the first poll after the page was opened, and only once", async () => {
      const uuid = randomUUID();
      const page = await openPage(uuid);
      expect(page.body).toContain("signs you in");
      const done = await post(uuid);
      expect(done.status).toBe(200);
      expect(claimsOf(done.body.accessToken)).toMatchObject({ type: "session" });
      expect(done.body.refreshToken).toBe(done.body.accessToken);
      expect(simulator.stats().logins).toBe(1);
      expect(await post(uuid)).toMatchObject({ status: 404, body: "Not found" });
      expect((await openPage(uuid)).body).toContain("used already");
    });

    it.each([
      ["POST", post],
      ["GET", get],
    ])("needs two polls by %s when nobody opens the page", async (_, poll) => {
      const uuid = randomUUID();
      const first = await poll(uuid);
      expect(first).toMatchObject({ status: 404, body: "Not found" });
      expect(first.headers.get("content-type")).toBe("text/plain");
      expect((await poll(uuid)).status).toBe(200);
    });

    it("waits for whoever holds the right verifier", async () => {
      const uuid = randomUUID();
      await openPage(uuid);
      expect((await post(uuid, "w".repeat(43))).status).toBe(404);
      expect((await post(uuid, "short")).status).toBe(404);
      expect((await post(uuid)).status).toBe(200);
    });

    it("waits for the person when it was told to", async () => {
      simulator.configure({ login: "wait" });
      const uuid = randomUUID();
      await openPage(uuid);
      expect((await post(uuid)).status).toBe(404);
      expect((await post(uuid)).status).toBe(404);
      expect((await sayYes(uuid)).status).toBe(200);
      expect((await post(uuid)).status).toBe(200);
      expect((await sayYes(uuid)).status).toBe(400);
    });

    it("can be denied, break for a while, or break for good", async () => {
      simulator.configure({ login: "deny" });
      expect(await post(randomUUID())).toMatchObject({ status: 403, body: { error: "sign_in_policy_violation" } });
      simulator.configure({ login: "error" });
      expect((await post(randomUUID())).status).toBe(500);
      simulator.configure({ login: "error-1" });
      const uuid = randomUUID();
      await openPage(uuid);
      expect([(await post(uuid)).status, (await post(uuid)).status]).toEqual([500, 200]);
    });

    it("can meet an old server that only knows GET", async () => {
      simulator.configure({ login: "no-post" });
      const uuid = randomUUID();
      await openPage(uuid);
      expect(await post(uuid)).toMatchObject({
        status: 404,
        body: { message: "Route POST:/auth/poll not found", error: "Not Found", statusCode: 404 },
      });
      expect((await get(uuid)).status).toBe(200);
    });

    it("can lack a token", async () => {
      simulator.configure({ login: "half" });
      const uuid = randomUUID();
      await openPage(uuid);
      expect(Object.keys((await post(uuid)).body)).toEqual(["accessToken"]);
    });

    it("refuses requests without the ids", async () => {
      expect((await call("GET", "/auth/poll?uuid=1")).status).toBe(400);
      expect((await call("POST", "/auth/poll", { body: { verifier } })).status).toBe(400);
      expect((await call("GET", "/loginDeepControl?uuid=1")).status).toBe(400);
      expect((await call("POST", "/api/auth/loginDeepCallbackControl", { body: {} })).status).toBe(400);
    });

    it("shows no verifier and no token in the journal", async () => {
      const uuid = randomUUID();
      await openPage(uuid);
      await get(uuid);
      await post(uuid);
      const journal = JSON.stringify(simulator.requests(10));
      expect(journal).toContain(uuid);
      expect(journal).not.toContain(verifier);
    });
  });

  describe("renewing a session", () => {
    const client_id = "KbZUR41cY7W6zRSdpSUJ7I7mLYBKOCmB";
    const renew = (refresh_token: string, more = {}) =>
      call("POST", "/oauth/token", { body: { grant_type: "refresh_token", client_id, refresh_token, ...more } });
    const logIn = async () => {
      const uuid = randomUUID();
      const poll = () => call("POST", "/auth/poll", { body: { uuid, verifier: "v".repeat(43) } });
      await poll();
      return (await poll()).body.refreshToken as string;
    };

    it("gives a new session and no refresh token", async () => {
      const { status, body } = await renew(await logIn());
      expect(status).toBe(200);
      expect(body).toEqual({ access_token: expect.any(String), id_token: body.access_token, shouldLogout: false });
      expect(claimsOf(body.access_token).type).toBe("session");
      expect(simulator.stats().refreshes).toBe(1);
    });

    it("logs out whoever comes with a dead session, or with a token that came from a key", async () => {
      const logout = { status: 200, body: { access_token: "", id_token: "", shouldLogout: true } };
      expect(await renew("nonsense")).toMatchObject(logout);
      expect(await renew((await exchange("crsr_a")).body.refreshToken)).toMatchObject(logout);
      simulator.configure({ sessionTtlSeconds: 0 });
      expect(await renew(await logIn())).toMatchObject(logout);
    });

    it("checks the grant and the client", async () => {
      const session = await logIn();
      expect((await renew(session, { grant_type: "password" })).status).toBe(400);
      expect((await renew(session, { client_id: "me" })).status).toBe(401);
    });
  });

  describe("the documented API", () => {
    it("lists the models, with the automatic one first and never under the id auto", async () => {
      const { status, body } = await call("GET", "/v1/models", { key: "crsr_a" });
      expect(status).toBe(200);
      expect(body.items.map(({ id }: { id: string }) => id)).toEqual([
        "default",
        "composer-2.5",
        "composer-2.5-fast",
        "claude-opus-4-8",
        "gpt-5.5",
        "grok-4.6",
        "gemini-3.1-pro",
      ]);
      expect(body.items[0].aliases).toEqual(["auto"]);
      expect(body.items[3]).toMatchObject({
        parameters: [{ id: "effort", values: [{ value: "low" }, { value: "high" }] }, { id: "context" }],
        variants: [{ params: [{ id: "effort", value: "high" }, { id: "context" }], isDefault: true }, {}, {}],
      });
    });

    it("takes the key as the user name of HTTP Basic too", async () => {
      const basic = Buffer.from("crsr_a:").toString("base64");
      const { body } = await call("GET", "/v1/me", { authorization: `Basic ${basic}` });
      expect(body).toMatchObject({ apiKeyName: "Simulated key", userEmail: expect.any(String) });
    });

    it("tells the usage of an agent", async () => {
      const { status, body } = await call("GET", "/v1/agents/agent-1/usage", { key: "crsr_a" });
      expect(status).toBe(200);
      expect(body.totalUsage.totalTokens).toBe(0);
    });

    it.each(["/v1/models", "/v1/me", "/v1/agents/agent-1/usage"])("guards %s", async (path) => {
      expect(await call("GET", path)).toMatchObject({ status: 401, body: { error: { code: "unauthorized" } } });
      expect(await call("GET", path, { key: "crsr_bad" })).toMatchObject({
        status: 401,
        body: { error: { code: "api_key_not_found" } },
      });
      const { accessToken } = (await exchange("crsr_a")).body;
      expect((await call("GET", path, { key: accessToken })).status).toBe(401);
    });
  });

  describe("the account", () => {
    it("is shown to whoever has a token", async () => {
      const key = (await exchange("crsr_a")).body.accessToken;
      expect((await call("GET", "/auth/full_stripe_profile", { key })).body).toMatchObject({ membershipType: "pro" });
      expect((await call("GET", "/auth/stripe_profile", { key })).body).toBe("pro");
      expect((await call("GET", "/auth/usage", { key })).body["gpt-4"].maxRequestUsage).toBe(500);
    });

    it("is shown on the website to whoever has a session's cookie", async () => {
      const uuid = randomUUID();
      const poll = () => call("POST", "/auth/poll", { body: { uuid, verifier: "v".repeat(43) } });
      await poll();
      const session = (await poll()).body.accessToken;
      const cookie = `other=1; WorkosCursorSessionToken=user_01%3A%3A${session}`;
      expect((await call("GET", "/api/usage-summary", { cookie })).body).toMatchObject({ membershipType: "pro" });
      expect((await call("GET", "/api/usage?user=user_01", { cookie })).body).toHaveProperty("gpt-4");
      const exchanged = (await exchange("crsr_a")).body.accessToken;
      for (const wrong of [`WorkosCursorSessionToken=user_01::${exchanged}`, "other=1"]) {
        expect((await call("GET", "/api/usage-summary", { cookie: wrong })).status).toBe(401);
      }
      expect((await call("GET", "/api/usage-summary")).status).toBe(401);
    });

    it("is not shown to anybody else", async () => {
      simulator.configure({ tokenTtlSeconds: 0 });
      const expired = (await exchange("crsr_a")).body.accessToken;
      for (const key of ["crsr_a", expired]) expect((await call("GET", "/auth/usage", { key })).status).toBe(401);
    });
  });

  describe("requests that fit nothing", () => {
    it("get what Cursor's server says about unknown routes", async () => {
      expect(await call("GET", "/v1/nothing?x=1")).toMatchObject({
        status: 404,
        body: { message: "Route GET:/v1/nothing not found", error: "Not Found", statusCode: 404 },
      });
      expect((await call("GET", "/auth/exchange_user_api_key")).status).toBe(404);
      expect((await call("GET", "/v1/agents/a/b/usage")).status).toBe(404);
    });

    it("get 400 when the body is not JSON or is too long", async () => {
      expect(await call("POST", "/oauth/token", { body: "{" })).toMatchObject({
        status: 400,
        body: { statusCode: 400 },
      });
      const long = JSON.stringify({ text: "x".repeat(1_100_000) });
      expect(await call("POST", "/oauth/token", { body: long })).toMatchObject({ status: 400 });
    });
  });
});
