import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../../simulator/index.js";
import { ManualClock } from "../../../tests/manual-clock.js";
import { tokensFromApiKey } from "../../auth/token.js";
import { startContext, userTurn } from "../scripted/index.js";
import { type AgentBackend, createAgentBackend, defaultLimits } from "./index.js";

describe("a run whose reader is slow", () => {
  let simulator: Simulator;
  let clock: ManualClock;
  let backend: AgentBackend;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  afterAll(() => simulator.close());
  beforeEach(() => {
    clock = new ManualClock(Date.now());
    backend = createAgentBackend({
      tokens: tokensFromApiKey({ apiKey: "crsr_slow", backendUrl: simulator.url, clock, account: "me" }),
      backendUrl: simulator.url,
      agentUrl: simulator.url,
      identity: { version: "cli-2026.10.01-e373342", ghostMode: true },
      limits: defaultLimits,
      mapsNativeTools: true,
      fingerprint: (name, input) => `${name} ${input}`,
      clock,
      random: () => 0,
      log: { warn: () => {} },
    });
  });
  afterEach(() => backend.close());

  it("is not given up for a silence that is the reader's own, however long", async () => {
    const exchange = backend.start(userTurn("[[stream 100000]]"), startContext());
    const events = exchange.events()[Symbol.asyncIterator]();
    await events.next();
    await expect.poll(upstreamRests, { timeout: 10_000 }).toBe(true);
    for (let passedMs = 0; passedMs < 6 * 60_000; passedMs += 10_000) {
      const { heartbeatsIn } = simulator.stats();
      clock.advance(10_000);
      // A word there and back: PINGs are answered meanwhile.
      await expect.poll(() => simulator.stats().heartbeatsIn, { interval: 5 }).toBeGreaterThan(heartbeatsIn);
    }
    let text = "";
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      for (const event of next.value) if (event.type === "text") text += event.delta;
    }
    expect(text.endsWith("99999 100000 ")).toBe(true);
  }, 60_000);

  async function upstreamRests(): Promise<boolean> {
    const before = simulator.stats().bytesOut;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return simulator.stats().bytesOut === before;
  }
});
