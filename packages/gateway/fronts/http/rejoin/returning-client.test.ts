import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { identifierOf } from "./returning-client.js";

const REJOIN_MS = 15_000;
const body = Buffer.from('{"model":"auto"}');

interface Arrival {
  from?: string;
  to?: string;
  headers?: IncomingHttpHeaders;
  url?: string;
  account?: string;
}

function arrive({ from = "192.0.2.7", to = "192.0.2.1", headers = {}, url = "/v1/responses", account }: Arrival = {}) {
  const incoming = { headers, url, socket: { remoteAddress: from, localAddress: to } };
  return identifierOf(incoming, [account, "key"], REJOIN_MS)?.(body);
}

describe("a client", () => {
  it.each<{ name: string; arrival: Arrival; graceMs: number | undefined }>([
    { name: "on another machine", arrival: {}, graceMs: REJOIN_MS },
    { name: "on this machine", arrival: { from: "127.0.0.1" }, graceMs: undefined },
    { name: "on this machine, over IPv6", arrival: { from: "::1" }, graceMs: undefined },
    { name: "on this machine, as a mapped address", arrival: { from: "::ffff:127.0.0.1" }, graceMs: undefined },
    { name: "on this machine, by its address in the network", arrival: { from: "192.0.2.1" }, graceMs: undefined },
    {
      name: "behind a reverse proxy on this machine",
      arrival: { from: "127.0.0.1", headers: { "x-forwarded-for": "192.0.2.7" } },
      graceMs: REJOIN_MS,
    },
    {
      name: "on this machine that names its request",
      arrival: { from: "127.0.0.1", headers: { "idempotency-key": "a" } },
      graceMs: 0,
    },
  ])("$name has this grace", ({ arrival, graceMs }) => expect(arrive(arrival)?.graceMs).toBe(graceMs));

  it("on another machine has no grace if that is off", () => {
    const incoming = { headers: {}, url: "/", socket: { remoteAddress: "192.0.2.7", localAddress: "192.0.2.1" } };
    expect(identifierOf(incoming, [], 0)).toBeUndefined();
  });
});

describe("the identity of a request", () => {
  it("does not depend on the client's address or the attempt", () => {
    const again = arrive({ from: "198.51.100.3", headers: { "x-stainless-retry-count": "1" } });
    expect(again?.identity).toBe(arrive()?.identity);
    expect(again?.retries).toBe(1);
  });

  it.each<Arrival>([
    { account: "other" },
    { url: "/v1/chat/completions" },
    { headers: { "x-curlew-workspace": "/work" } },
    { headers: { "anthropic-version": "2023-06-01" } },
  ])("changes with %o", (change) => expect(arrive(change)?.identity).not.toBe(arrive()?.identity));

  it.each(["-1", "1e3", "x", "99999"])("ignores a retry count of %s", (count) => {
    expect(arrive({ headers: { "x-stainless-retry-count": count } })?.retries).toBe(0);
  });
});
