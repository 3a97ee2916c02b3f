import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { startSimulator } from "../../../../simulator/index.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { sampleProfile } from "../../../../testing/samples/sample-profile.js";
import { createNetwork } from "../../../network/index.js";
import { ServerConfigSource } from "./server-config.js";

const claimed = { hosts: sampleProfile.hosts, userAgent: sampleProfile.clients.cli.userAgent };

const HOUR_MS = 3_600_000;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function simulated(privacyMode: 0 | 1 | 2 | 3 | 4) {
  const simulator = await startSimulator({ privacyMode });
  closers.push(() => simulator.close());
  const response = await fetch(`${simulator.url}/auth/exchange_user_api_key`, {
    method: "POST",
    headers: { authorization: "Bearer crsr_test", "content-type": "application/json" },
    body: "{}",
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  simulator.reset();
  const clock = new ManualClock();
  const source = new ServerConfigSource({
    backendUrl: simulator.url,
    agentUrl: undefined,
    ...claimed,
    clock,
    network: createNetwork(),
  });
  return { simulator, clock, source, token: accessToken, asked: () => simulator.requests(50).length };
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  [0, true],
  [1, true],
  [2, true],
  [3, false],
  [4, false],
] as const)("takes privacy mode %i for ghost mode %s", async (mode, ghostMode) => {
  const { source, token, simulator } = await simulated(mode);
  expect(source.known).toMatchObject({ ghostMode: true, isPrivacyKnown: false });
  expect(await source.get(token)).toEqual({
    agentOrigin: simulator.url,
    ghostMode,
    isPrivacyKnown: true,
    http2: "advised",
  });
  expect(source.known.ghostMode).toBe(ghostMode);
});

it("asks with the token alone, over HTTP/1.1, once for everybody, and again behind after an hour", async () => {
  const { source, token, simulator, clock, asked } = await simulated(3);
  await Promise.all([source.get(token), source.get(token), source.get(token)]);
  const calls = simulator.requests(50);
  expect(calls.map(({ path }) => path.split("/").at(-1)).sort()).toEqual(["GetServerConfig", "GetUserPrivacyMode"]);
  for (const { httpVersion, headers } of calls) {
    expect(httpVersion).toBe("1.1");
    expect(Object.keys(headers).filter((name) => name.startsWith("x-"))).toEqual([]);
  }
  clock.advance(HOUR_MS - 1);
  await source.get(token);
  expect(asked()).toBe(2);
  simulator.configure({ privacyMode: 1 });
  clock.advance(1);
  expect((await source.get(token)).ghostMode).toBe(false);
  await expect.poll(() => source.known.ghostMode).toBe(true);
  expect(asked()).toBe(4);
});

it("assumes the strictest when Cursor fails, and asks again a minute later", async () => {
  let calls = 0;
  const backendUrl = await serve((_, response) => {
    calls++;
    response.writeHead(503).end();
  });
  const clock = new ManualClock();
  const source = new ServerConfigSource({
    backendUrl,
    agentUrl: undefined,
    ...claimed,
    clock,
    network: createNetwork(),
  });
  expect(await source.get("token")).toMatchObject({ ghostMode: true, isPrivacyKnown: false, agentOrigin: backendUrl });
  await source.get("token");
  expect(calls).toBe(2);
  clock.advance(60_000);
  await source.get("token");
  await expect.poll(() => calls).toBe(4);
});

it("keeps what it knew through an hour of failures, then assumes the strictest", async () => {
  const { source, token, simulator, clock } = await simulated(3);
  await source.get(token);
  await simulator.close();
  for (let minutes = 0; minutes < 119; minutes++) {
    clock.advance(60_000);
    expect((await source.get(token)).ghostMode).toBe(false);
  }
  await expect
    .poll(async () => {
      clock.advance(60_000);
      return (await source.get(token)).ghostMode;
    })
    .toBe(true);
});

it("waits two seconds for a server that is silent, and only once", async () => {
  const backendUrl = await serve(() => {});
  const clock = new ManualClock();
  const source = new ServerConfigSource({
    backendUrl,
    agentUrl: undefined,
    ...claimed,
    clock,
    network: createNetwork(),
  });
  const waiting = source.get("token");
  clock.advance(2_000);
  expect(await waiting).toMatchObject({ ghostMode: true, isPrivacyKnown: false });
  expect(await source.get("token")).toMatchObject({ isPrivacyKnown: false }); // at once: the clock does not move
});
