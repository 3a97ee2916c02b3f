import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../tests/manual-clock.js";
import { expiryMs, type TokenSource, tokensFromAccessToken, tokensFromApiKey } from "./token.js";

const never = () => new AbortController().signal;
let server: Server;
let clock: ManualClock;
let source: TokenSource;
let exchanges: IncomingMessage[];
let answer: (response: ServerResponse, count: number) => void;

beforeEach(async () => {
  clock = new ManualClock();
  exchanges = [];
  answer = (response, count) =>
    response.end(JSON.stringify({ accessToken: jwt(3_600, String(count)), refreshToken: "unused" }));
  server = createServer((request, response) => {
    exchanges.push(request);
    request.resume().once("end", () => answer(response, exchanges.length));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const backendUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  source = tokensFromApiKey({ apiKey: "crsr_test", backendUrl, clock, account: "me" });
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function jwt(lifeSeconds: number, id = "1"): string {
  const claims = { exp: clock.now() / 1_000 + lifeSeconds, id };
  return `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;
}

describe("an API key", () => {
  it("is exchanged once for any number of turns at the same time", async () => {
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

  it("keeps its old token through passing trouble, while that is valid", async () => {
    const first = await source.get(never());
    answer = (response) => response.writeHead(500).end();
    clock.advance((3_600 - 60) * 1_000);
    expect(await source.get(never())).toBe(first);
    clock.advance(61_000);
    await expect(source.get(never())).rejects.toMatchObject({ code: "upstream_error", isRetryable: true });
  });

  it.each([
    [401, "Invalid User API Key", /wrong, revoked or expired.*CURSOR_API_KEY/],
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

  it("is not called bad by a web page in between", async () => {
    answer = (response) => response.writeHead(403, { "content-type": "text/html" }).end("<html>blocked</html>");
    await expect(source.get(never())).rejects.toMatchObject({ code: "upstream_error" });
    expect(source.state).toBe("unchecked");
  });

  it.each(["{}", "[]", '{"accessToken":""}', "not json"])("answered with %j is an error", async (body) => {
    answer = (response) => response.end(body);
    await expect(source.get(never())).rejects.toMatchObject({ code: "upstream_error", isRetryable: true });
  });

  it("does not follow a redirect: the key goes nowhere else", async () => {
    answer = (response) => response.writeHead(307, { location: "/elsewhere" }).end();
    await expect(source.get(never())).rejects.toMatchObject({ code: "upstream_unreachable" });
    expect(exchanges).toHaveLength(1);
  });

  it("renews a refused token once, whoever asks", async () => {
    const refused = await source.get(never());
    const renewed = await Promise.all(Array.from({ length: 10 }, () => source.renew(refused, never())));
    expect(new Set(renewed).size).toBe(1);
    expect(renewed[0]).not.toBe(refused);
    expect(exchanges).toHaveLength(2);
    expect(await source.renew(refused, never())).toBe(renewed[0]);
    expect(exchanges).toHaveLength(2);
  });

  it("lets one caller leave without taking the exchange from the others", async () => {
    const leaving = new AbortController();
    const left = source.get(leaving.signal);
    const stays = source.get(never());
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: "canceled" });
    await expect(stays).resolves.toBeTypeOf("string");
  });

  it("takes a token that does not tell its end, for a while", async () => {
    answer = (response, count) => response.end(JSON.stringify({ accessToken: `opaque-${count}` }));
    expect(await source.get(never())).toBe("opaque-1");
    expect(await source.get(never())).toBe("opaque-1");
    clock.advance(11 * 60_000);
    expect(await source.get(never())).toBe("opaque-2");
  });

  it("names the host when that cannot be reached", async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    await expect(source.get(never())).rejects.toMatchObject({
      code: "upstream_unreachable",
      message: expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+ to sign in/),
    });
  });
});

describe("a given access token", () => {
  it("is used as it is and cannot be renewed", async () => {
    const fixed = tokensFromAccessToken({ token: jwt(10), account: "me" });
    expect(await fixed.get(never())).toBe(jwt(10));
    await expect(fixed.renew("any", never())).rejects.toMatchObject({ code: "not_authenticated" });
    expect(fixed.state).toBe("refused");
  });
});

describe("the end of a token", () => {
  it.each(["", "a.b.c", "onlyone", "a.e30.c", "a.W10.c"])("is unknown for %j", (token) => {
    expect(expiryMs(token)).toBeUndefined();
  });
});
