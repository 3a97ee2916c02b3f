import { expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { serveHttp } from "../../../../../testing/network/serve-http.js";
import { sampleProfile } from "../../../../../testing/samples/sample-profile.js";
import { startSimulator } from "../../../../../testing/simulator/strict-simulator.js";
import { createNetwork } from "../../../network/index.js";
import { agentOrigin, ServerConfigSource } from "./server-config.js";

const claimed = { hosts: sampleProfile.hosts, client: sampleProfile.clients.cli };

const HOUR_MS = 3_600_000;

async function simulated(privacyMode: 0 | 1 | 2 | 3 | 4) {
  const simulator = await startSimulator({ privacyMode });
  onTestFinished(() => simulator.close());
  const response = await fetch(`${simulator.url}/auth/exchange_user_api_key`, {
    method: "POST",
    headers: { authorization: "Bearer crsr_test", "content-type": "application/json" },
    body: "{}",
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  simulator.reset();
  return { simulator, ...sourceAt(simulator.url), token: accessToken, asked: () => simulator.requests(50).length };
}

function sourceAt(backendUrl: string) {
  const clock = new ManualClock();
  const deps = { backendUrl, agentUrl: undefined, ...claimed, clock, network: createNetwork() };
  return { clock, source: new ServerConfigSource(deps) };
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

it("asks once for all callers, with only the token, over HTTP/1.1, and hourly in the background", async () => {
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

it("assumes the strictest values when Cursor fails, and retries a minute later", async () => {
  let calls = 0;
  const backendUrl = await serveHttp((_, response) => {
    calls++;
    response.writeHead(503).end();
  });
  const { clock, source } = sourceAt(backendUrl);
  expect(await source.get("token")).toMatchObject({ ghostMode: true, isPrivacyKnown: false, agentOrigin: backendUrl });
  await source.get("token");
  expect(calls).toBe(2);
  clock.advance(60_000);
  await source.get("token");
  await expect.poll(() => calls).toBe(4);
});

it("keeps a known config through an hour of failures, then assumes the strictest values", async () => {
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

it("waits two seconds for a silent server, and only once", async () => {
  const backendUrl = await serveHttp(() => {});
  const { clock, source } = sourceAt(backendUrl);
  const waiting = source.get("token");
  clock.advance(2_000);
  expect(await waiting).toMatchObject({ ghostMode: true, isPrivacyKnown: false });
  expect(await source.get("token")).toMatchObject({ isPrivacyKnown: false }); // at once: the clock does not move
});

const production = "https://api2.cursor.sh";
const none = { agentUrl: "", agentnUrl: "" };
const advised = { agentUrl: "https://agent.us.api5.cursor.sh", agentnUrl: "https://agentn.us.api5.cursor.sh/" };
const { hosts } = sampleProfile;
const choice = { backendUrl: production, hosts, agentUrl: undefined, advised, ghostMode: true };

it.each([
  ["privacy on", { ghostMode: true }, "https://agent.us.api5.cursor.sh"],
  ["privacy off", { ghostMode: false }, "https://agentn.us.api5.cursor.sh"],
  ["no advice, privacy on", { advised: none }, "https://agent.api5.cursor.sh"],
  ["no advice, privacy off", { advised: none, ghostMode: false }, "https://agentn.api5.cursor.sh"],
  ["the owner's own choice", { agentUrl: "https://mine.example/" }, "https://mine.example"],
])("runs of production go where Cursor says: %s", (_, changes, expected) => {
  expect(agentOrigin({ ...choice, ...changes })).toBe(expected);
});

it("runs go to the hosts of the owner's overlay where Cursor names none", () => {
  const own = { ...hosts, api: "https://api9.cursor.sh", privateAgent: "https://agent.api9.cursor.sh" };
  const moved = { ...choice, hosts: own, backendUrl: own.api };
  expect(agentOrigin({ ...moved, advised: none })).toBe("https://agent.api9.cursor.sh");
  expect(agentOrigin(moved)).toBe("https://agent.us.api5.cursor.sh");
});

it.each([
  "http://agent.api5.cursor.sh",
  "https://agent.api5.cursor.sh.evil.example",
  "https://evilcursor.sh",
  "https://evil.example/agent.api5.cursor.sh",
  "not a URL",
  "javascript:alert(1)",
])("a host that is not Cursor's own gets no token: %s", (agentUrl) => {
  expect(agentOrigin({ ...choice, advised: { agentUrl, agentnUrl: "" } })).toBe("https://agent.api5.cursor.sh");
});

it.each([
  "http://localhost:4100",
  "http://127.0.0.1:4100",
  "http://[::1]:4100",
  "https://dev.lclhst.build",
  "https://staging.cursor.sh",
  "https://dev-staging.cursor.sh",
  "https://api2.example.org",
])("any other backend keeps its runs: %s", (backendUrl) => {
  for (const ghostMode of [true, false]) {
    expect(agentOrigin({ ...choice, backendUrl, ghostMode })).toBe(backendUrl);
    expect(agentOrigin({ ...choice, backendUrl, ghostMode, agentUrl: "https://mine.example" })).toBe(
      "https://mine.example",
    );
  }
});
