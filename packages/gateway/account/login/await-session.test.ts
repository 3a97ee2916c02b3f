import { defaultOptions, type Simulator } from "@curlew/simulator/index.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { serveHttp } from "../../../../testing/network/serve-http.js";
import { startSimulator } from "../../../../testing/simulator/strict-simulator.js";
import { createNetwork } from "../../network/index.js";
import { textClaim } from "../claims.js";
import { awaitSession, createHandshake, type Handshake } from "./await-session.js";

let simulator: Simulator;
let clock: ManualClock;
let handshake: Handshake;
let canceled: AbortController;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.configure(defaultOptions);
  simulator.reset();
  clock = new ManualClock();
  handshake = createHandshake(simulator.url);
  canceled = new AbortController();
});

const network = createNetwork();
const begin = ({ backendUrl = simulator.url } = {}) =>
  awaitSession({ handshake, backendUrl, clock, network, signal: canceled.signal });
const polls = () =>
  simulator.requests(500).flatMap(({ path }) => {
    if (!path.startsWith("/auth/poll")) return [];
    return path.includes("verifier=") ? ["GET"] : ["POST"];
  });

/** Runs a login to its end and returns every pause that it made. */
async function untilOver(login: Promise<unknown>): Promise<number[]> {
  const pauses: number[] = [];
  let isOver = false;
  login
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  let sleptMs = 0;
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (clock.sleeping === 0) continue;
    clock.advance(10);
    sleptMs += 10;
    if (clock.sleeping > 0) continue;
    pauses.push(sleptMs);
    sleptMs = 0;
  }
  return pauses;
}

describe("waiting for the browser", () => {
  it("ends with the session when the user approves", async () => {
    await fetch(handshake.url);
    const { accessToken, refreshToken } = await begin();
    expect(textClaim(accessToken, "type")).toBe("session");
    expect(refreshToken).toBe(accessToken);
    expect(polls()).toEqual(["POST"]);
  });

  it("falls back to GET for an old server, silently", async () => {
    simulator.configure({ login: "no-post" });
    await fetch(handshake.url);
    await begin();
    expect(polls()).toEqual(["POST", "GET"]);
  });

  it("gives up after 150 polls with growing pauses, about twenty minutes", async () => {
    simulator.configure({ login: "wait" });
    const login = begin();
    const pauses = await untilOver(login);
    await expect(login).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("in time") });
    expect(pauses).toHaveLength(150);
    expect(pauses.slice(0, 3)).toEqual([1_000, 1_200, 1_440]);
    expect(pauses.at(-1)).toBe(10_000);
    expect(simulator.stats().logins).toBe(0);
  });

  it.each(["POST", "GET"])("ends at the third error in a row, by %s", async (method) => {
    simulator.configure({ login: method === "GET" ? "no-post" : "wait" });
    const login = begin();
    await expect.poll(() => clock.sleeping).toBe(1);
    simulator.configure({ login: "error" });
    const pauses = await untilOver(login);
    await expect(login).rejects.toThrow("HTTP status 500. Run: curlew login");
    expect(pauses).toHaveLength(3);
  });

  it("reports a network that answers in Cursor's place", async () => {
    const backendUrl = await serveHttp((_, response) => response.writeHead(302, { location: "/sign-in" }).end());
    await expect(begin({ backendUrl })).rejects.toMatchObject({
      code: "network_blocked",
      message: expect.stringMatching(/a redirect \(HTTP status 302\).*sign in to this network.*curlew doctor$/),
    });
  });

  it("tolerates two errors", async () => {
    simulator.configure({ login: "error-2" });
    await fetch(handshake.url);
    const login = begin();
    expect(await untilOver(login)).toHaveLength(2);
    await expect(login).resolves.toBeTruthy();
  });

  it("ends at once when a policy denies it", async () => {
    simulator.configure({ login: "deny" });
    await expect(begin()).rejects.toMatchObject({
      code: "permission_denied",
      message: expect.stringContaining("policy"),
    });
    expect(polls()).toHaveLength(1);
  });

  it("ends at once when the answer lacks a token", async () => {
    simulator.configure({ login: "half" });
    await fetch(handshake.url);
    await expect(begin()).rejects.toThrow("sent no session");
  });

  it("ends when it is canceled, in a pause or during a poll", async () => {
    simulator.configure({ login: "wait" });
    const login = begin();
    await expect.poll(() => clock.sleeping).toBe(1);
    canceled.abort();
    await expect(login).rejects.toMatchObject({ code: "canceled" });
    await expect(begin()).rejects.toMatchObject({ code: "canceled" });
  });

  it("reports at once that Cursor cannot be reached, before any page is opened", async () => {
    const gone = await startSimulator();
    await gone.close();
    const onReached = vi.fn(async () => {});
    const login = awaitSession({ handshake, backendUrl: gone.url, clock, network, signal: canceled.signal, onReached });
    expect(await untilOver(login)).toEqual([]);
    await expect(login).rejects.toThrow(/^Cursor cannot be reached at http\S+ \(ECONNREFUSED\).* curlew doctor$/);
    expect(onReached).not.toHaveBeenCalled();
  });

  it("opens the page once, after Cursor's first answer, and counts later network failures as errors", async () => {
    const leaving = await startSimulator({ login: "wait" });
    const onReached = vi.fn(async () => {});
    const login = awaitSession({
      ...{ handshake, backendUrl: leaving.url, clock, network, signal: canceled.signal },
      onReached,
    });
    await expect.poll(() => clock.sleeping).toBe(1);
    expect(onReached).toHaveBeenCalledTimes(1);
    await leaving.close();
    expect(await untilOver(login)).toHaveLength(3);
    await expect(login).rejects.toThrow(`Cursor cannot be reached at ${leaving.url}`);
    expect(onReached).toHaveBeenCalledTimes(1);
  });
});

describe("the address of the page", () => {
  it("has the parameters of Cursor's own clients, and not the verifier", () => {
    const url = new URL(handshake.url);
    expect(url.pathname).toBe("/loginDeepControl");
    expect([...url.searchParams.keys()]).toEqual(["challenge", "uuid", "mode", "redirectTarget"]);
    expect(url.searchParams.get("challenge")).toMatch(/^[\w-]{43}$/);
    expect(handshake.verifier).toMatch(/^[\w-]{43}$/);
    expect(handshake.url).not.toContain(handshake.verifier);
  });
});
