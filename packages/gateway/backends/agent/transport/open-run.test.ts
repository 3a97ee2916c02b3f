import { expect, it, onTestFinished } from "vitest";
import { sampleTokens } from "../../../../../testing/samples/sample-tokens.js";
import { startSimulator } from "../../../../../testing/simulator/strict-simulator.js";
import { createNetwork } from "../../../network/index.js";
import { systemClock } from "../../../system/clock.js";
import { GatewayError } from "../../../turn/error.js";
import { Http2Pool } from "./http2-pool.js";
import { createRunOpener, runHeaders } from "./open-run.js";
import type { ServerConfig } from "./server-config.js";
import { sinkFor } from "./sink.cases.js";
import { Http1Pool } from "./sse-run.js";
import { TransportChoice } from "./transport-choice.js";

/** The calls that one run makes, at a backend whose runs go to another host over HTTP/2. */
async function callsOf(http2: ServerConfig["http2"]): Promise<{ backend: string[]; agent: string[] }> {
  const transport = http2 === "advised" ? "h2" : "h1";
  const [backend, agent] = await Promise.all([startSimulator({ transport }), startSimulator({ transport })]);
  const network = createNetwork();
  const pool = new Http2Pool(systemClock, network);
  const http1 = new Http1Pool(network);
  onTestFinished(async () => {
    pool.close();
    http1.close();
    await Promise.all([backend.close(), agent.close()]);
  });
  const config = { agentOrigin: agent.url, ghostMode: true, isPrivacyKnown: true, http2, configVersion: "" };
  const tokens = sampleTokens(backend.url);
  const token = await tokens.get(AbortSignal.timeout(5_000));
  const opener = createRunOpener({
    tokens,
    serverConfig: { current: () => undefined, get: async () => config },
    identityOf: () => identity,
    backendUrl: backend.url,
    agentUrl: undefined,
    pool,
    http1,
    transports: new TransportChoice({ setting: "auto", clock: systemClock, log: { warn: () => {} } }),
    clock: systemClock,
  });
  const run = await opener.open(
    { token, requestId: "a", originalRequestId: "a", hasTools: false, allowsWeb: false },
    sinkFor(),
  );
  await expect.poll(() => backend.stats().runs + agent.stats().runs).toBe(1);
  run.cancel(new GatewayError("canceled", "enough"));
  const runs = (simulator: typeof backend) =>
    simulator.requests(10).flatMap(({ path }) => (path.includes("/Run") ? [path.split("/").at(-1) ?? ""] : []));
  return { backend: runs(backend), agent: runs(agent) };
}

it("goes to the agent host over HTTP/2, and to the backend over HTTP/1.1", async () => {
  expect(await callsOf("advised")).toEqual({ backend: [], agent: ["Run"] });
  expect(await callsOf("advised against")).toEqual({ backend: ["RunSSE"], agent: [] });
});

const opening = {
  token: "secret",
  requestId: "this attempt",
  originalRequestId: "first attempt",
};
const identity = { version: "cli-2026.10.01-e373342", userAgent: "connect-es/1.6.1", ghostMode: true };

it("sends the headers that Cursor's own SDK sends with a run, and the limit on tools", () => {
  const { "x-cursor-agent-exclude-tools": excluded, ...headers } = runHeaders(
    { ...opening, hasTools: false, allowsWeb: false },
    identity,
  );
  expect(headers).toEqual({
    authorization: "Bearer secret",
    "backend-traceparent": "00-00000000000000000000000000000000-0000000000000000-00",
    "connect-accept-encoding": "identity",
    "connect-protocol-version": "1",
    "content-type": "application/connect+proto",
    traceparent: "00-00000000000000000000000000000000-0000000000000000-00",
    "user-agent": "connect-es/1.6.1",
    "x-cursor-client-type": "cli",
    "x-cursor-client-version": "cli-2026.10.01-e373342",
    "x-ghost-mode": "true",
    "x-original-request-id": "first attempt",
    "x-request-id": "this attempt",
  });
  expect(excluded).toMatch(/^shell_tool_call,.*,mcp_tool_call,/);
});

it("allows only the client's own tools, if there are any", () => {
  const headers = runHeaders({ ...opening, hasTools: true, allowsWeb: false }, identity);
  expect(headers["x-cursor-agent-allowed-tools"]).toBe("mcp_tool_call,get_mcp_tools_tool_call");
  expect(headers).not.toHaveProperty("x-cursor-agent-exclude-tools");
});

it("names the client type that its version belongs to", () => {
  const headers = runHeaders(
    { ...opening, hasTools: false, allowsWeb: false },
    { ...identity, version: "sdk-1.0.32", ghostMode: false },
  );
  expect(headers).toMatchObject({ "x-cursor-client-type": "sdk", "x-ghost-mode": "false" });
});

it("lets the model use Cursor's web tools when they are allowed", () => {
  const allowing = (hasTools: boolean) => runHeaders({ ...opening, hasTools, allowsWeb: true }, identity);
  const allowed = allowing(true)["x-cursor-agent-allowed-tools"]?.split(",");
  expect(allowed).toEqual(expect.arrayContaining(["mcp_tool_call", "web_search_tool_call", "web_fetch_tool_call"]));
  expect(allowed).not.toContain("shell_tool_call");
  const excluded = allowing(false)["x-cursor-agent-exclude-tools"]?.split(",");
  expect(excluded).toContain("shell_tool_call");
  expect(excluded).not.toContain("web_search_tool_call");
});
