// The bench with another gateway beside ours, unmodified from npm: node bench/others.js portkey|opencodex [options of run.js]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmFolder } from "../testing/programs/npm-folder.js";

const others = {
  portkey: {
    name: "@portkey-ai/gateway 1.15.2",
    note: "It does not speak Cursor's protocol: its upstream is OpenAI's dialect over HTTP/1.1, ready-made, at the same pace.",
    // With newer versions of its HTTP libraries, which its manifest allows, every streamed reply fails.
    packages: ["@portkey-ai/gateway@1.15.2"],
    overrides: { hono: "4.6.10", "@hono/node-server": "1.3.5" },
    command: (folder, { port }) => [
      process.execPath,
      join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js"),
      `--port=${port}`,
      "--headless",
    ],
    request: ({ http1Port }) => [
      "--against-header=x-portkey-provider: openai",
      `--against-header=x-portkey-custom-host: http://127.0.0.1:${http1Port}/v1`,
      "--against-header=authorization: Bearer bench",
    ],
  },
  opencodex: {
    name: "@bitkyc08/opencodex 2.63.0",
    note: "It runs on Bun and speaks Cursor's protocol, to the same upstream as Curlew.",
    packages: ["@bitkyc08/opencodex@2.63.0"],
    command: (folder, { port }) => [
      join(folder, "node_modules/@oven", readdirSync(join(folder, "node_modules/@oven"))[0], "bin/bun"),
      join(folder, "node_modules/@bitkyc08/opencodex/src/cli/index.ts"),
      "start",
      "--port",
      String(port),
    ],
    prepare(home, { port, http2Port }) {
      const cursor = { adapter: "cursor", baseUrl: `http://127.0.0.1:${http2Port}`, authMode: "key", apiKey: "bench" };
      const bench = { ...cursor, allowPrivateNetwork: true, defaultModel: "auto", models: ["auto"] };
      const config = { port, hostname: "127.0.0.1", defaultProvider: "bench", providers: { bench } };
      writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
    },
    request: () => ["--against-model=bench/auto"],
  },
};

const [wanted, ...options] = process.argv.slice(2);
const other = others[wanted];
if (other === undefined) {
  console.error(`node bench/others.js ${Object.keys(others).join("|")} [options of bench/run.js]`);
  process.exit(1);
}
const folder = await npmFolder(`bench-${wanted}`, other.packages, undefined, other.overrides);
const home = mkdtempSync(join(tmpdir(), "curlew-bench-other-"));
const [port, http2Port, http1Port] = await freePorts(3);
const ports = { port, http2Port, http1Port };
other.prepare?.(home, ports);
const [program, ...args] = other.command(folder, ports);
const env = { PATH: process.env.PATH, HOME: home, OPENCODEX_HOME: home };
const child = spawn(program, args, { cwd: home, env, stdio: "ignore" });
try {
  const url = `http://127.0.0.1:${port}`;
  await listening(url);
  const run = spawn(
    process.execPath,
    [
      fileURLToPath(new URL("./run.js", import.meta.url)),
      ...options,
      `--against=${url}`,
      `--against-name=${other.name}`,
      `--against-note=${other.note}`,
      `--against-pid=${child.pid}`,
      `--upstream-ports=${http2Port},${http1Port}`,
      ...other.request(ports),
    ],
    { stdio: "inherit" },
  );
  [process.exitCode] = await once(run, "exit");
} finally {
  child.kill();
  rmSync(home, { recursive: true, force: true });
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => server.address().port);
  for (const server of servers) server.close();
  return ports;
}

async function listening(url) {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (child.exitCode !== null) throw new Error(`${other.name} ended with ${child.exitCode}`);
    try {
      await (await fetch(url)).text();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  throw new Error(`${other.name} does not listen`);
}
