import { type IncomingMessage, request } from "node:http";
import { describe, expect, it } from "vitest";
import { untilAtRest } from "../testing/at-rest.js";
import { chat, tool } from "../testing/clients/tool-client.js";
import { ProcessSystem } from "../testing/programs/process-system.js";
import { startedEach } from "../testing/started.js";

const READERS = 10;
/** The target is 1 MiB each; more than this limit means a leak. */
const READER_GATE_KIB = 1_536;
const PARKED = 1_000;
/** Heap and buffers took 15.5 KiB each when this was set. */
const PARKED_GATE_KIB = 24;

describe.skipIf(process.platform === "win32")("memory (reported on a signal, so not on Windows)", () => {
  const system = startedEach(() => ProcessSystem.start({}, { maxParkedRuns: 10_000 }));

  it(`of ${READERS} readers that stall stays below ${READER_GATE_KIB} KiB each`, async () => {
    // Warms up, so that one-time allocations are not measured.
    for (const response of await stallReaders()) response.destroy();
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    const before = await system.gateway.memory();
    const stalled = await stallReaders();
    const after = await system.gateway.memory();
    expect((after.heldKiB - before.heldKiB) / READERS).toBeLessThan(READER_GATE_KIB);
    for (const response of stalled) response.destroy();
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });

  it(`of ${PARKED} parked runs stays below ${PARKED_GATE_KIB} KiB each`, async () => {
    const tools = [tool("time")];
    const park = () =>
      chat(system.gateway.url, [{ role: "user", content: "[[call time {}]] then [[say done]]" }], { tools });
    const parkMany = async (count: number) => {
      for (let left = count; left > 0; left -= 50) await Promise.all(Array.from({ length: 50 }, park));
    };
    await parkMany(500);
    const before = await system.gateway.memory();
    await parkMany(PARKED);
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(500 + PARKED);
    const after = await system.gateway.memory();
    // Heap and buffers only: the resident size grows in steps larger than all these runs together.
    expect((after.heldKiB - before.heldKiB) / PARKED).toBeLessThan(PARKED_GATE_KIB);
  });

  /** Returns when the streams have stopped. */
  async function stallReaders(): Promise<IncomingMessage[]> {
    const stalled = await Promise.all(Array.from({ length: READERS }, () => open("[[stream 3000000]]")));
    for (const response of stalled) response.pause();
    await untilAtRest(() => system.simulator.stats().bytesOut, 300); // the gateway is another process, and may have to wait
    return stalled;
  }

  function open(content: string): Promise<IncomingMessage> {
    const body = JSON.stringify({ model: "auto", stream: true, messages: [{ role: "user", content }] });
    return new Promise((resolve, reject) => {
      const sent = request(`${system.gateway.url}/v1/chat/completions`, {
        method: "POST",
        agent: false,
        headers: { "content-type": "application/json" },
      });
      sent.once("response", (response) => {
        response.on("error", () => {});
        resolve(response);
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }
});
