import type { Simulator } from "@curlew/simulator/index.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { untilAtRest } from "../../../../../testing/at-rest.js";
import { startContext, userTurn } from "../../../../../testing/backends/scripted/index.js";
import { makeAgentBackend } from "../../../../../testing/gateway/agent-backend.js";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { startSimulator } from "../../../../../testing/simulator/strict-simulator.js";
import { collect } from "../../../turn/collect.js";
import { execHeartbeatFrame, heartbeatFrame } from "../answers/encode.js";
import type { AgentBackend } from "../index.js";

describe.each(["h2", "h1"] as const)("a run over %s whose client is slow", (transport) => {
  let simulator: Simulator;
  let clock: ManualClock;
  let backend: AgentBackend;
  beforeEach(async () => {
    simulator = await startSimulator({ transport });
    clock = new ManualClock(Date.now());
    backend = makeAgentBackend(simulator.url, { clock });
  });
  afterEach(async () => {
    backend.close();
    await simulator.close();
  });

  it("does not time out while its client does not read", async () => {
    const exchange = backend.start(userTurn("[[stream 100000]]"), startContext());
    const events = exchange.events()[Symbol.asyncIterator]();
    await events.next();
    await untilAtRest(() => simulator.stats().bytesOut);
    await passSixMinutes();
    let text = "";
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      for (const event of next.value) if (event.type === "text") text += event.delta;
    }
    expect(text.endsWith("99999 100000 ")).toBe(true);
  });

  it("does not time out while the client runs its calls", async () => {
    simulator.configure({ heartbeatMs: 5 });
    const tools = [{ name: "tide", description: "", inputSchema: {} }];
    const turn = { ...userTurn("[[call tide {}]] then [[say done]]"), tools };
    const exchange = backend.start(turn, startContext({ callable: tools }));
    const { calls } = await collect(exchange.events());
    const before = simulator.stats();
    await passSixMinutes();
    // Besides the run's own heartbeats, the open call has one every three seconds.
    const forTheCall = () => {
      const { bytesIn, heartbeatsIn } = simulator.stats();
      return bytesIn - before.bytesIn - (heartbeatsIn - before.heartbeatsIn) * payloadBytes(heartbeatFrame);
    };
    await expect.poll(forTheCall).toBe(120 * payloadBytes(execHeartbeatFrame(2)));
    exchange.answer({ callId: calls[0]?.id ?? "", content: [{ type: "text", text: "low" }], isError: false });
    expect((await collect(exchange.events())).text).toBe("Result of tide: low\ndone");
    expect(simulator.stats().runs).toBe(1);
  });

  /** Advances the clock in steps with a round trip in each, so that PINGs are answered and heartbeats arrive. */
  async function passSixMinutes(): Promise<void> {
    for (let passedMs = 0; passedMs < 6 * 60_000; passedMs += 10_000) {
      const { heartbeatsIn } = simulator.stats();
      clock.advance(10_000);
      await expect.poll(() => simulator.stats().heartbeatsIn, { interval: 5 }).toBeGreaterThan(heartbeatsIn);
    }
  }
});

describe("a run whose server does not read what it asked for", () => {
  const tools = [{ name: "tide", description: "x".repeat(20_000), inputSchema: {} }];

  it("is ended after a while, with a clear error", async () => {
    const simulator = await startSimulator();
    const clock = new ManualClock(Date.now());
    const backend = makeAgentBackend(simulator.url, { clock });
    const turn = { ...userTurn("[[flood 3000]] [[say done]]"), tools };
    const ended = collect(backend.start(turn, startContext({ callable: tools })).events()).catch((error) => error);
    await expect.poll(() => simulator.requests(50).some(({ path }) => path.endsWith("/Run"))).toBe(true);
    await expect.poll(() => simulator.stats().bytesOut).toBeGreaterThan(1_000);
    await untilAtRest(() => simulator.stats().bytesOut);
    for (let second = 0; second < 31; second++) clock.advance(1_000);
    expect(await ended).toMatchObject({ code: "upstream_error", isRetryable: false });
    expect((await ended).message).toContain("has not read Curlew's answers");
    backend.close();
    await simulator.close();
  });
});

function payloadBytes(frame: Buffer): number {
  return frame.length - 5;
}
