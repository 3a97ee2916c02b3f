import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { type BackendUnderTest, describeBackend } from "../../packages/gateway/backends/backend.cases.js";
import { createSdkBackend, type SdkBackendDeps, type SdkSettings } from "../../packages/gateway/backends/sdk/index.js";
import { skips } from "../../packages/gateway/backends/skips.cases.js";
import { systemClock } from "../../packages/gateway/system/clock.js";
import { collect } from "../../packages/gateway/turn/collect.js";
import type { Simulator } from "../../packages/simulator/index.js";
import { startContext, userTurn } from "../../testing/backends/scripted/index.js";
import { startByteCutter } from "../../testing/network/byte-cutter.js";
import { sampleProfile } from "../../testing/samples/sample-profile.js";
import { startSimulator } from "../../testing/simulator/strict-simulator.js";
import { installSdk } from "./install.js";

vi.setConfig({ testTimeout: 60_000 });
const sdk = await installSdk({ version: "1.0.32", nodeMajor: "24" });

describeBackend("sdk", { start: () => start(), startCut: () => start({ cuts: true }), skips: skips.sdk });

describe("the official SDK behind the gateway", () => {
  it("remembers a conversation in another process, sends only what is new, and reports a lost store", async () => {
    const stateFolder = mkdtempSync(join(tmpdir(), "curlew-sdk-resume-"));
    const first = await start({}, { stateFolder });
    const { simulator } = first;
    const state = await stateAfter(first, "My bird is a puffin. [[say Noted.]]", undefined);
    first.backend.close();
    const second = await start({}, { stateFolder, backendUrl: simulator.url });
    const context = startContext({ state });
    const { text } = await collect(second.backend.start(userTurn("Which bird is it?"), context).events());
    expect(text).toContain("My bird is a puffin.");
    expect(simulator.stats()).toMatchObject({ runs: 2, conversations: 1 });
    rmSync(join(stateFolder, "sdk", "conversations"), { recursive: true });
    await expect(stateAfter(second, "And now?", state)).rejects.toMatchObject({ code: "session_expired" });
    await Promise.all([first.stop(), second.stop()]);
  });

  it("continues warm in a fresh process, while the old one ends with its last turn", async () => {
    const limits = { startMs: 30_000, pingMs: 5_000, hungMs: 30_000, maxTurns: 2 };
    const { backend, simulator, stop } = await start({ limits });
    const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
    const parked = backend.start(
      userTurn("[[call look {}]] [[say done]]", { tools }),
      startContext({ callable: tools }),
    );
    await collect(parked.events());
    let state = await stateAfter({ backend }, "My bird is a puffin. [[say Noted.]]", undefined);
    for (const text of ["[[say One.]]", "[[say Two.]]"]) state = await stateAfter({ backend }, text, state);
    const asked = backend.start(userTurn("Which bird is it?"), startContext({ state }));
    expect((await collect(asked.events())).text).toContain("My bird is a puffin.");
    expect(simulator.stats()).toMatchObject({ runs: 5, runsOpen: 1, conversations: 2 });
    parked.answer({ callId: parked.openCalls[0]?.id ?? "", content: [{ type: "text", text: "seen" }], isError: false });
    expect((await collect(parked.events())).text).toContain("done");
    await stop();
  });

  it("keeps twenty concurrently parked conversations apart in one process", async () => {
    const { backend, simulator, stop } = await start();
    const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
    const parked = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const turn = userTurn(`[[call look {"at":"place ${index}"}]] [[say done ${index}]]`, { tools });
        const exchange = backend.start(turn, startContext({ callable: tools, newCallId: () => `call_${index}` }));
        const asked = await collect(exchange.events());
        expect(asked.calls).toMatchObject([{ id: `call_${index}`, input: `{"at":"place ${index}"}` }]);
        return exchange;
      }),
    );
    expect(simulator.stats().runsOpen).toBe(20);
    const answers = await Promise.all(
      parked.map(async (exchange, index) => {
        const content = [{ type: "text" as const, text: `seen ${index}` }];
        exchange.answer({ callId: `call_${index}`, content, isError: false });
        return (await collect(exchange.events())).text;
      }),
    );
    expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => `Result of look: seen ${index}\ndone ${index}`));
    expect(simulator.stats()).toMatchObject({ runs: 20, runsOpen: 0, execsThrown: 0 });
    await stop();
  });

  it("offers the model only the client's tools, and leaves no run open when a turn is cancelled", async () => {
    const { backend, simulator, stop } = await start();
    const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
    const exchange = backend.start(userTurn("[[call look {}]]", { tools }), startContext({ callable: tools }));
    await collect(exchange.events());
    const run = simulator.requests(50).find(({ path }) => path.startsWith("/agent.v1.AgentService/Run"));
    expect(run?.headers["x-cursor-agent-allowed-tools"]).toMatch(/^mcp_tool_call,(\w*mcp\w*,?)+$/);
    exchange.close("lease-expired");
    await expect.poll(() => simulator.stats().runsOpen).toBe(0);
    await stop();
  });
});

async function stateAfter(
  { backend }: Pick<SdkUnderTest, "backend">,
  text: string,
  state: Uint8Array | undefined,
): Promise<Uint8Array> {
  for await (const batch of backend.start(userTurn(text), startContext({ state })).events()) {
    for (const event of batch) if (event.type === "checkpoint") return event.state;
  }
  throw new Error("no checkpoint came");
}

interface StartOptions extends Pick<SdkBackendDeps, "limits"> {
  cuts?: boolean;
  apiKey?: string;
}

interface SdkUnderTest extends BackendUnderTest {
  simulator: Simulator;
}

/** The official SDK, unmodified, on a simulated Cursor. */
async function start(
  { cuts = false, apiKey = "crsr_sdk_backend", limits }: StartOptions = {},
  changes: Partial<SdkSettings> = {},
): Promise<SdkUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), "curlew-sdk-"));
  const simulator = await startSimulator();
  const cutter = cuts ? await startByteCutter(simulator.url) : undefined;
  const settings: SdkSettings = {
    sdkPath: fileURLToPath(sdk.module),
    sdkNode: sdk.node,
    backendUrl: cutter?.url ?? simulator.url,
    profile: sampleProfile,
    stateFolder: folder,
    stateMaxDays: 1,
    stallMs: 300_000,
    quietMs: 250,
    ...changes,
  };
  const env = { PATH: process.env.PATH, HOME: folder };
  const machine = { env, platform: process.platform, homeDirectory: folder };
  const backend = createSdkBackend({ settings, machine, clock: systemClock, ...(limits && { limits }) }, apiKey);
  return {
    backend,
    simulator,
    async stop() {
      await backend.close();
      await cutter?.close();
      await simulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
