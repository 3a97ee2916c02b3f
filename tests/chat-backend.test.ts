import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startServer } from "../packages/cli/app/start/start-server.js";
import { loadSettings } from "../packages/cli/config/load.js";
import type { Simulator } from "../packages/simulator/index.js";
import { postJson } from "../testing/clients/post-json.js";
import { freePort } from "../testing/network/local-server.js";
import { sampleTokens } from "../testing/samples/sample-tokens.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

const checksum = `5XZ4Ziq_${"ab".repeat(32)}`;
let simulator: Simulator;
let home: string;
let port: number;
let stop: () => Promise<void>;

beforeAll(async () => {
  simulator = await startSimulator({ checksum: "strict" });
  home = mkdtempSync(join(tmpdir(), "curlew-chat-backend-"));
  port = await freePort();
  const cookie = `user_01%3A%3A${await sampleTokens(simulator.url).get(AbortSignal.timeout(10_000))}`;
  const { settings } = loadSettings({
    env: {
      PORT: String(port),
      CURSOR_URL: simulator.url,
      CURSOR_CHECKSUM: checksum,
      CURLEW_HOME: home,
      CURLEW_BACKEND: "chat",
      CURSOR_AUTH_TOKEN: cookie,
      CURLEW_LOG_LEVEL: "silent",
    },
  });
  const server = await startServer(settings, {
    orSimulate: false,
    logStream: process.stderr,
    constants: { silenceMs: 1_000, graceMs: 0 },
  });
  await server.ready;
  stop = () => server.stop(new AbortController().signal);
});
afterAll(async () => {
  await stop();
  await simulator.close();
  rmSync(home, { recursive: true, force: true });
});
beforeEach(() => simulator.configure({ legacy: "working" }));

async function ask(content: unknown, rest: object = {}): Promise<{ status: number; body: string }> {
  const response = await postJson(`http://127.0.0.1:${port}/v1/chat/completions`, {
    model: "gpt-5.5",
    messages: [{ role: "user", content }],
    ...rest,
  });
  return { status: response.status, body: await response.text() };
}

const chatRequest = () => simulator.requests(10).findLast(({ path }) => path.includes("Chat"));

describe("a gateway configured like those for Cursor's old chat calls", () => {
  it("listens on PORT, asks CURSOR_URL, sends CURSOR_CHECKSUM, and accepts the browser's cookie as token", async () => {
    const { status, body } = await ask("[[say still served]]");
    expect([status, JSON.parse(body).choices[0].message.content]).toEqual([200, "still served"]);
    expect(chatRequest()?.headers["x-cursor-checksum"]).toBe(checksum);
  });
});
