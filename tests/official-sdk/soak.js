// A thousand conversations on the sdk backend, every fourth with a second message: resources of the SDK's processes meanwhile.
//   node tests/official-sdk/soak.js [--node MAJOR] [--conversations N] [--at-once N]
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nodeBinFolder } from "../../testing/programs/npm-folder.js";
import { startCurlew } from "../../testing/programs/start-curlew.js";
import { startSimulator } from "../../testing/programs/start-simulator.js";
import { installSdk } from "./install.js";

const MAX_CONNECTIONS = 40;

const { values: flags } = parseArgs({
  options: {
    node: { type: "string", default: "24" },
    conversations: { type: "string", default: "1000" },
    "at-once": { type: "string", default: "8" },
  },
});
if (!existsSync("/proc/net/tcp")) throw new Error("The connections are counted in /proc, which only Linux has.");
const dist = (name) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));
const sdk = await installSdk({ version: "1.0.32", nodeMajor: "24" });
const sdkNode = join(await nodeBinFolder(flags.node), "node");
const home = mkdtempSync(join(tmpdir(), "curlew-soak-"));
const simulator = await startSimulator(dist("main.js"), "h2");
const gateway = await startCurlew(dist("serve-with-constants.js"), [JSON.stringify({ sdkNode })], {
  ...{
    CURLEW_HOME: home,
    CURLEW_LOG_LEVEL: "silent",
    CURLEW_BACKEND: "sdk",
    CURLEW_SDK_PATH: fileURLToPath(sdk.module),
  },
  ...{ CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_soak" },
});
const { url } = JSON.parse(gateway.firstLine);

const port = Number(new URL(simulator.url).port).toString(16).toUpperCase().padStart(4, "0");
const seen = { connections: 0, processes: 0, residentMB: 0, started: new Set() };
const continuities = {};
let failures = 0;
let next = 0;
const startedMs = Date.now();
await Promise.all(
  Array.from({ length: Number(flags["at-once"]) }, async () => {
    for (let index = next++; index < Number(flags.conversations); index = next++) {
      await converse(index).catch((thrown) => {
        failures++;
        console.error(thrown.message);
      });
      look();
      if (index % 100 === 99) report(index + 1);
    }
  }),
);
report(Number(flags.conversations));
console.log(
  JSON.stringify({
    failures,
    ...continuities,
    processes: seen.started.size,
    seconds: Math.round((Date.now() - startedMs) / 1000),
  }),
);
const held = seen.connections <= MAX_CONNECTIONS && seen.started.size > 0 && !continuities["cold:expired"];
process.exitCode = failures === 0 && held ? 0 : 1;
await gateway.stop();
await simulator.stop();
rmSync(home, { recursive: true, force: true });

async function converse(index) {
  const first = [{ role: "user", content: `My number is ${index}. [[say Noted.]]` }];
  const noted = await ask(first);
  if (index % 4 !== 0) return;
  const again = await ask([...first, noted, { role: "user", content: "Which number is it?" }]);
  if (!again.content.includes(`My number is ${index}.`)) throw new Error(`conversation ${index} was forgotten`);
}

async function ask(messages) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`${response.status}: ${body.error.message}`);
  const continuity = response.headers.get("x-curlew-continuity");
  continuities[continuity] = (continuities[continuity] ?? 0) + 1;
  return body.choices[0].message;
}

/** Counts established connections to the simulator, including the gateway's own, and the SDK's processes. */
function look() {
  const open = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const connections = open.filter(([, , remote = "", state]) => remote.endsWith(`:${port}`) && state === "01").length;
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isOurs(name));
  for (const pid of pids) seen.started.add(pid);
  seen.connections = Math.max(seen.connections, connections);
  seen.processes = Math.max(seen.processes, pids.length);
  seen.residentMB = Math.max(seen.residentMB, ...pids.map(residentMB));
}

/** The built child reads its program from stdin, so only its permission flags distinguish it from the gateway. */
function isOurs(pid) {
  const commandLine = read(`/proc/${pid}/cmdline`);
  return commandLine.includes("--permission") && commandLine.includes(home);
}

function residentMB(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024);
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // the process has ended
  }
}

function report(count) {
  const { connections, processes, residentMB: megabytes } = seen;
  console.log(
    `Node ${flags.node}, ${count} conversations: at most ${connections} connections, ${processes} processes at once, ${megabytes} MB each`,
  );
}
