// Cursor's own SDK and the gateway in the same conversation, turn by turn, each on its own simulator: the time to the first
// text, the bytes sent upstream and the CPU of every turn after the first. The SDK is the client as well, so its CPU is
// that of both; the client of the gateway is not counted.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSimulator } from "../../testing/programs/start-simulator.js";
import { installSdk } from "../../tests/official-sdk/install.js";
import { send, textOf } from "../client.js";
import { dialects } from "../dialects.js";
import { ask, cpuUs, startGateway, stop } from "../process.js";
import { spread } from "../statistics.js";

const SDK = { version: "1.0.32", nodeMajor: "24" };
const API_KEY = "crsr_bench";

export async function measureOfficial(checkout, turns, like) {
  const folder = mkdtempSync(join(tmpdir(), "curlew-bench-sdk-"));
  const running = [];
  try {
    const speakers = [];
    for (const start of [startSdk, startOurs]) {
      // An older checkout may know neither this flag nor the strict one.
      const flags = like === "plain" ? [] : ["--like", like];
      const simulator = await startSimulator(join(checkout, "dist/main.js"), "h2", flags, { isStrict: false });
      running.push(simulator);
      const relay = await startRelay(Number(new URL(simulator.url).port));
      running.push(relay);
      const speaker = await start(relay.url, folder, checkout);
      running.push(speaker);
      speakers.push({ ...speaker, relay, samples: [] });
    }
    for (let turn = 0; turn < turns; turn++) {
      for (const { pid, say, relay, samples } of speakers) {
        const [bytes, us] = [relay.sentBytes(), cpuUs(pid)];
        const firstMs = await say(`Turn ${turn}: say something about herons.`);
        samples.push({ firstMs, upstreamBytes: relay.sentBytes() - bytes, cpuUs: cpuUs(pid) - us });
      }
    }
    return Object.fromEntries(
      speakers.map(({ name, samples }) => {
        const later = samples.slice(1);
        const figure = (measure) => spread(later.map((sample) => sample[measure]));
        return [name, { firstMs: figure("firstMs"), upstreamBytes: figure("upstreamBytes"), cpuUs: figure("cpuUs") }];
      }),
    );
  } finally {
    for (const process of running.reverse()) await process.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startSdk(url, folder) {
  const { module, node } = await installSdk(SDK);
  for (const part of ["home", "project", "store"]) mkdirSync(join(folder, part));
  const home = join(folder, "home");
  const task = JSON.stringify({ module, apiKey: API_KEY, cwd: join(folder, "project"), store: join(folder, "store") });
  const child = fork(fileURLToPath(new URL("./official-child.js", import.meta.url)), [task], {
    execPath: node,
    cwd: join(folder, "project"),
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: tmpdir(), CURSOR_BACKEND_URL: url, CURSOR_WEBSITE_URL: url },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await once(child, "message");
  const say = async (text) => (await ask(child, { text })).firstMs;
  return { name: `@cursor/sdk ${SDK.version}`, pid: child.pid, say, stop: () => stop({ child }) };
}

async function startOurs(url, folder, checkout) {
  const settings = { CURSOR_AUTH_TOKEN: undefined, CURSOR_API_KEY: API_KEY };
  const gateway = await startGateway(url, join(folder, "curlew"), { checkout, settings });
  const messages = [];
  const say = async (text) => {
    messages.push({ role: "user", content: text });
    const { raw, firstMs } = await send(gateway, dialects.chat, JSON.stringify(dialects.chat.request(messages)));
    messages.push({ role: "assistant", content: textOf(dialects.chat, raw) });
    return firstMs;
  };
  return { name: "gateway", pid: gateway.child.pid, say, stop: () => stop(gateway) };
}

/** Passes connections on and counts what their clients send, whatever protocol they speak. */
async function startRelay(port) {
  let sentBytes = 0;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    client.on("data", (part) => {
      sentBytes += part.length;
    });
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on("error", () => {});
    }
    client.pipe(upstream).pipe(client);
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    sentBytes: () => sentBytes,
    stop: async () => void server.close(),
  };
}
