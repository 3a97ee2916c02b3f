import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { serveHttp } from "../../../testing/network/serve-http.js";
import { createNetwork } from "../network/index.js";
import { expiryMs } from "./claims.js";
import type { Credential } from "./credential.js";
import { type TokenSource, tokensFrom } from "./token.js";

const never = () => new AbortController().signal;
let clock: ManualClock;
let source: TokenSource;
let backendUrl: string;
let exchanges: IncomingMessage[];
let answer: (response: ServerResponse, count: number) => void;

beforeEach(async () => {
  clock = new ManualClock();
  exchanges = [];
  answer = (response, count) =>
    response.end(JSON.stringify({ accessToken: jwt(3_600, String(count)), refreshToken: "unused" }));
  backendUrl = await serveHttp((request, response) => {
    exchanges.push(request);
    request.resume().once("end", () => answer(response, exchanges.length));
  });
  source = sourceOf({ kind: "api-key", apiKey: "crsr_test" });
});

function sourceOf(credential: Credential, onSession?: (token: string, old: string | undefined) => void): TokenSource {
  const found = { credential, from: "CURSOR_API_KEY", fix: "Run: curlew login" };
  return tokensFrom(found, { backendUrl, clock, network: createNetwork(), ...(onSession && { onSession }) });
}

/** Advances the clock whenever the code under test sleeps. */
async function whileTimePasses<T>(promise: Promise<T>): Promise<T> {
  let isOver = false;
  const settled = promise.finally(() => {
    isOver = true;
  });
  settled.catch(() => {});
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (clock.sleeping > 0) clock.advance(4_000);
  }
  return settled;
}

function jwt(lifeSeconds: number, id = "1"): string {
  const claims = { exp: clock.now() / 1_000 + lifeSeconds, id };
  return `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;
}

describe("an API key", () => {
  it("is exchanged once for any number of concurrent turns", async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, () => source.get(never())));
    expect(new Set(tokens).size).toBe(1);
    expect(exchanges).toHaveLength(1);
    expect(exchanges[0]?.headers.authorization).toBe("Bearer crsr_test");
    expect(exchanges[0]?.url).toBe("/auth/exchange_user_api_key");
    expect(source.state).toBe("authenticated");
  });

  it("is exchanged again when less than five minutes are left, not before", async () => {
    const first = await source.get(never());
    clock.advance((3_600 - 301) * 1_000);
    expect(await source.get(never())).toBe(first);
    clock.advance(2_000);
    expect(await source.get(never())).not.toBe(first);
    expect(exchanges).toHaveLength(2);
  });

  it("keeps its old token, while that is valid, when a renewal fails", async () => {
    const first = await source.get(never());
    answer = (response) => response.writeHead(500).end();
    clock.advance((3_600 - 60) * 1_000);
    expect(await source.get(never())).toBe(first);
    clock.advance(61_000);
    await expect(whileTimePasses(source.get(never()))).rejects.toMatchObject({
      code: "upstream_error",
      isRetryable: true,
    });
  });

  it.each([
    [401, "Invalid User API Key", /from CURSOR_API_KEY: it is wrong, revoked or expired. Run: curlew login/],
    [403, '{"error":"sign_in_policy_violation"}', /policy/],
  ])("that is refused with %i is not tried again, and the error says what to do", async (status, body, text) => {
    answer = (response) => response.writeHead(status).end(body);
    for (let round = 0; round < 3; round++) {
      await expect(source.get(never())).rejects.toMatchObject({
        code: "not_authenticated",
        message: expect.stringMatching(text),
      });
    }
    expect(exchanges).toHaveLength(1);
    expect(source.state).toBe("refused");
  });

  it("is not marked as refused when a web page in between answers", async () => {
    answer = (response) => response.writeHead(403, { "content-type": "text/html" }).end("<html>blocked</html>");
    await expect(whileTimePasses(source.get(never()))).rejects.toMatchObject({ code: "network_blocked" });
    expect(source.state).toBe("unchecked");
  });

  it.each(["{}", "[]", '{"accessToken":""}', "not json"])("answered with %j is an error", async (body) => {
    answer = (response) => response.end(body);
    await expect(whileTimePasses(source.get(never()))).rejects.toMatchObject({
      code: "upstream_error",
      isRetryable: true,
    });
  });

  it("is exchanged with retries, and all waiting callers get the token", async () => {
    answer = (response, count) =>
      count <= 5 ? response.writeHead(503).end() : response.end(JSON.stringify({ accessToken: jwt(3_600) }));
    const tokens = await whileTimePasses(Promise.all(Array.from({ length: 500 }, () => source.get(never()))));
    expect(new Set(tokens)).toEqual(new Set([jwt(3_600)]));
    expect(exchanges).toHaveLength(6);
  });

  it("serves the old token while its renewal fails, and the new one afterwards", async () => {
    const first = await source.get(never());
    clock.advance((3_600 - 100) * 1_000);
    answer = (response, count) =>
      count <= 4 ? response.writeHead(503).end() : response.end(JSON.stringify({ accessToken: jwt(3_600, "new") }));
    expect(await source.get(never())).toBe(first);
    expect(await source.get(never())).toBe(first);
    while (exchanges.length < 5) {
      await new Promise((resolve) => setImmediate(resolve));
      if (clock.sleeping > 0) clock.advance(4_000);
    }
    expect(await source.renew(first, never())).not.toBe(first);
    expect(exchanges).toHaveLength(5);
  });

  it("does not follow a redirect: the key goes nowhere else", async () => {
    answer = (response) => response.writeHead(307, { location: "/elsewhere" }).end();
    await expect(source.get(never())).rejects.toMatchObject({ code: "network_blocked" });
    expect(exchanges).toHaveLength(1);
    expect(source.state).toBe("unchecked");
  });

  it("renews a refused token once for all callers", async () => {
    const refused = await source.get(never());
    const renewed = await Promise.all(Array.from({ length: 10 }, () => source.renew(refused, never())));
    expect(new Set(renewed).size).toBe(1);
    expect(renewed[0]).not.toBe(refused);
    expect(exchanges).toHaveLength(2);
    expect(await source.renew(refused, never())).toBe(renewed[0]);
    expect(exchanges).toHaveLength(2);
  });

  it("continues an exchange when one of its callers leaves", async () => {
    const leaving = new AbortController();
    const left = source.get(leaving.signal);
    const stays = source.get(never());
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: "canceled" });
    await expect(stays).resolves.toBeTypeOf("string");
  });

  it("assumes a lifetime for a token without an expiry", async () => {
    answer = (response, count) => response.end(JSON.stringify({ accessToken: `opaque-${count}` }));
    expect(await source.get(never())).toBe("opaque-1");
    expect(await source.get(never())).toBe("opaque-1");
    clock.advance(11 * 60_000);
    expect(await source.get(never())).toBe("opaque-2");
  });

  it("names an unreachable host", async () => {
    backendUrl = "http://127.0.0.1:1";
    await expect(sourceOf({ kind: "api-key", apiKey: "crsr_test" }).get(never())).rejects.toMatchObject({
      code: "upstream_unreachable",
      message: expect.stringMatching(/cannot be reached at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/),
    });
  });
});

describe("a given access token", () => {
  it("is used as it is and cannot be renewed", async () => {
    const fixed = sourceOf({ kind: "access-token", accessToken: jwt(10) });
    expect(await fixed.get(never())).toBe(jwt(10));
    await expect(fixed.renew("any", never())).rejects.toMatchObject({
      code: "not_authenticated",
      message: expect.stringMatching(/refused the token from .* Run: curlew login/),
    });
    expect(fixed.state).toBe("refused");
    clock.advance(10_000);
    await expect(fixed.renew("any", never())).rejects.toThrow(/It expired on 20\d\d-/);
  });
});

describe("a session of Cursor's editor", () => {
  const day = 24 * 3_600;
  const session = (lifeSeconds: number, canRenew = true): Credential => {
    return { kind: "session", accessToken: jwt(lifeSeconds), refreshToken: jwt(lifeSeconds), canRenew };
  };
  const say = (body: object) => {
    answer = (response) => response.end(JSON.stringify(body));
  };

  it("is renewed in its last week, and the new token is reported", async () => {
    const renewed: (string | undefined)[] = [];
    say({ access_token: jwt(60 * day, "new"), id_token: "", shouldLogout: false });
    source = sourceOf(session(8 * day), (token, old) => renewed.push(token, old));
    expect(await source.get(never())).toBe(jwt(8 * day));
    const old = jwt(8 * day);
    const next = jwt(60 * day, "new");
    clock.advance(2 * day * 1_000);
    expect(await source.get(never())).toBe(next);
    expect(renewed).toEqual([next, old]);
    expect(exchanges.map(({ url }) => url)).toEqual(["/oauth/token"]);
  });

  it("works until it expires when Cursor refuses to renew it, with no second attempt", async () => {
    say({ access_token: jwt(60 * day), id_token: "", shouldLogout: true });
    source = sourceOf(session(day));
    const only = jwt(day);
    expect(await source.get(never())).toBe(only);
    expect(await source.get(never())).toBe(only);
    expect(exchanges).toHaveLength(1);
    clock.advance(day * 1_000);
    await expect(source.get(never())).rejects.toMatchObject({
      code: "not_authenticated",
      message: expect.stringContaining("Run: curlew login"),
    });
    expect(exchanges).toHaveLength(1);
  });

  it("from a login is never renewed", async () => {
    source = sourceOf(session(60, false));
    await source.get(never());
    await expect(source.renew(jwt(60), never())).rejects.toMatchObject({ code: "not_authenticated" });
    expect(exchanges).toHaveLength(0);
  });
});

describe("the expiry of a token", () => {
  it.each(["", "a.b.c", "onlyone", "a.e30.c", "a.W10.c"])("is unknown for %j", (token) => {
    expect(expiryMs(token)).toBeUndefined();
  });
});
