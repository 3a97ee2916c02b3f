import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { startSimulator } from "../simulator/index.js";

const READERS = 10;
/** The aim is 1 MiB each; beyond this something grows that should not. */
const GATE_KIB = 1_536;

describe.skipIf(process.platform !== "linux")("memory (read from /proc, so on Linux only)", () => {
  it(`of ${READERS} readers that stall stays below ${GATE_KIB} KiB each`, async () => {
    const simulator = await startSimulator();
    const home = mkdtempSync(join(tmpdir(), "curlew-memory-"));
    const gateway = spawn(
      process.execPath,
      ["dist/main.js", "serve", "--port", "0", "--json", "--log-level", "silent"],
      {
        stdio: ["ignore", "pipe", "inherit"],
        env: {
          PATH: process.env.PATH,
          CURLEW_HOME: home,
          CURSOR_BACKEND_URL: simulator.url,
          CURSOR_API_KEY: "crsr_memory",
        },
      },
    );
    try {
      const [line] = await once(createInterface(gateway.stdout), "line");
      const { url } = JSON.parse(line);
      const warm = await Promise.all(Array.from({ length: READERS }, () => open(url, "[[stream 20000]]")));
      await Promise.all(warm.map((response) => once(response.resume(), "end")));
      const beforeKiB = rssKiB(gateway.pid);

      const stalled = await Promise.all(Array.from({ length: READERS }, () => open(url, "[[stream 3000000]]")));
      for (const response of stalled) response.pause();
      const upstreamRests = async () => {
        const before = simulator.stats().bytesOut;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return simulator.stats().bytesOut - before;
      };
      await expect.poll(upstreamRests, { timeout: 15_000 }).toBe(0);
      expect((rssKiB(gateway.pid) - beforeKiB) / READERS).toBeLessThan(GATE_KIB);
      for (const response of stalled) response.destroy();
      await expect.poll(() => simulator.stats().runsOpen).toBe(0);
    } finally {
      gateway.kill("SIGKILL");
      await simulator.close();
      rmSync(home, { recursive: true, force: true });
    }
  }, 40_000);
});

function rssKiB(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

function open(url: string, content: string): Promise<IncomingMessage> {
  const body = JSON.stringify({ model: "auto", stream: true, messages: [{ role: "user", content }] });
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/chat/completions`, {
      method: "POST",
      agent: false,
      headers: { "content-type": "application/json" },
    });
    sent.once("response", resolve);
    sent.once("error", reject);
    sent.end(body);
  });
}
