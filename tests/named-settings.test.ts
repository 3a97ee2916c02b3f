import { createServer } from "node:net";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../packages/cli/app/start/start-server.js";
import { loadSettings } from "../packages/cli/config/load.js";
import { isLoggedIn } from "../packages/gateway/backends/cli/own-login.js";
import { systemClock } from "../packages/gateway/system/clock.js";
import { thisMachine } from "../packages/gateway/system/machine.js";
import type { Simulator, SimulatorStart } from "../packages/simulator/index.js";
import { type ChatMessage, chat, result, tool } from "../testing/clients/tool-client.js";
import { serveCurlew } from "../testing/programs/curlew-process.js";
import { installFakeCli } from "../testing/simulator/installed-cli.js";
import { openSimulator } from "../testing/simulator/strict-simulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

// Names established by other gateways: scripts that set them must keep working.

let home: string;
beforeEach(() => {
  home = temporaryFolder();
});

async function simulate(start: SimulatorStart = {}): Promise<Simulator> {
  const simulator = await openSimulator(start);
  return simulator;
}

/** Starts a gateway with all settings from the environment. */
async function startWith(env: Record<string, string>): Promise<string> {
  const quiet = { CURSOR_API_KEY: "crsr_named", CURLEW_LOG_LEVEL: "silent" };
  const { settings } = loadSettings({ env: { ...quiet, ...env }, home });
  const server = await startServer(settings, {
    orSimulate: false,
    logStream: process.stderr,
    constants: { graceMs: 0 },
  });
  onTestFinished(() => server.stop(new AbortController().signal));
  await server.ready;
  return server.url;
}

/** A free port below the ephemeral range, which the system does not assign. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

const isHealthy = async (url: string) => (await fetch(`${url}/health`)).ok;

describe("where it listens", () => {
  it("PORT", async () => {
    const port = await freePort();
    expect(await startWith({ PORT: String(port) })).toBe(`http://127.0.0.1:${port}`);
    expect(await isHealthy(`http://127.0.0.1:${port}`)).toBe(true);
  });

  it("HOST", async () => {
    const { port } = new URL(await startWith({ HOST: "localhost", PORT: "0" }));
    expect(await isHealthy(`http://localhost:${port}`)).toBe(true);
    await expect(startWith({ HOST: "0.0.0.0", PORT: "0" })).rejects.toThrow("0.0.0.0 can be reached by others");
  });

  it("--port and --host", async () => {
    const port = await freePort();
    const { url } = await serveCurlew([`--port=${port}`, "--host", "localhost"], { env: { PORT: "1", HOST: "::1" } });
    expect(url).toMatch(new RegExp(`^http://(localhost|127\\.0\\.0\\.1|\\[::1\\]):${port}$`));
    expect(await isHealthy(url)).toBe(true);
  });
});

describe("its guards", () => {
  it.each([
    ["1", 3],
    ["3", 5],
  ])("TOOL_LOOP_MAX_REPEAT=%s stops a loop with the result of call %i", async (repeats, last) => {
    const { url: CURSOR_URL } = await simulate();
    const url = await startWith({ PORT: "0", CURSOR_URL, TOOL_LOOP_MAX_REPEAT: repeats });
    const calls = Array.from({ length: 9 }, () => '[[call bash {"command":"ls"}]]').join(" then ");
    const messages: ChatMessage[] = [{ role: "user", content: calls }];
    const tools = [tool("bash", { command: { type: "string" } })];
    let given = 0;
    const goOn = async () => {
      for (;;) {
        const reply = await chat(url, messages, { tools });
        messages.push(reply.message, result(reply.calls[0], "the same"));
        given++;
      }
    };
    await expect(goOn()).rejects.toMatchObject({ code: "tool_loop" });
    expect(given).toBe(last);
  });

  it("CURSOR_ACP_AUTH_CHECK_TIMEOUT ends a check that hangs", async () => {
    const fake = await installFakeCli({ hangs: ["status"] });
    onTestFinished(fake.close);
    const env = { CURLEW_CLI_PATH: fake.command, CURSOR_ACP_AUTH_CHECK_TIMEOUT: "100" };
    const { settings } = loadSettings({ env, home });
    expect(settings.authCheckTimeoutMs).toBe(100);
    const parts = { settings, machine: thisMachine(), clock: systemClock };
    expect(await isLoggedIn(parts)).toBe(false);
    fake.setScenario({});
    expect(await isLoggedIn({ ...parts, settings: { ...settings, authCheckTimeoutMs: 60_000 } })).toBe(true);
  });
});
