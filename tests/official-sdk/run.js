// The official npm package @cursor/sdk, unmodified, against `curlew simulate`: each version over each transport.
//   node tests/official-sdk/run.js [--record FILE] [--only WORDS] [--main FILE]
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cases } from "./cases.js";
import { installSdk } from "./install.js";
import { startSimulator } from "./simulator.js";

const VERSIONS = [
  { version: "1.0.18", hasSqlite: true },
  { version: "1.0.32", nodeMajor: "24" },
];
const TRANSPORTS = ["h2", "h1"];
const RUN_PATH = "/agent.v1.AgentService/Run";
const STEP_MS = 120_000;
const SETTLE_MS = 5_000;
const API_KEY = "crsr_official_sdk";

const { values: flags } = parseArgs({
  options: { record: { type: "string" }, only: { type: "string" }, main: { type: "string" } },
});
const main = flags.main ?? fileURLToPath(new URL("../../dist/main.js", import.meta.url));
if (!existsSync(main)) {
  console.error(`${main} is missing. Run \`npm run build\` first.`);
  process.exit(1);
}

const recorded = [];
const outcomes = [];
const installs = await Promise.allSettled(VERSIONS.map(installSdk));
const jobs = installs.flatMap((install, index) =>
  TRANSPORTS.flatMap((transport) =>
    cases.map((each) => ({ ...each, transport, install, version: VERSIONS[index].version })),
  ),
);
const wanted = jobs.filter(({ name }) => flags.only === undefined || name.includes(flags.only));
// Long waits cost nothing, so they begin first and the others run beside them.
const isLong = ({ name }) => name.startsWith("35 s");
await Promise.all([
  ...wanted.filter(isLong).map(runJob),
  ...Array.from(
    { length: availableParallelism() },
    worker,
    wanted.filter((job) => !isLong(job)),
  ),
]);
report();

async function worker(_, __, queue = this) {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) await runJob(job);
}

async function runJob(job) {
  const startedMs = Date.now();
  const label = `${job.version}  ${job.transport}  ${job.name}`;
  let failure;
  try {
    if (job.install.status === "rejected") throw job.install.reason;
    await runCase(job, job.install.value);
  } catch (thrown) {
    failure = thrown instanceof Error ? thrown : new Error(String(thrown));
  }
  const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
  outcomes.push({ ...job, failure });
  console.log(`${failure === undefined ? "ok  " : "FAIL"}  ${label}  (${seconds} s)`);
  if (failure !== undefined) console.log(`      ${failure.message.replaceAll("\n", "\n      ")}`);
}

async function runCase({ name, steps, check, record, transport, version }, sdk) {
  const folder = mkdtempSync(join(tmpdir(), "curlew-sdk-case-"));
  const simulator = await startSimulator(main, transport);
  try {
    for (const part of ["home", "project", "store"]) mkdirSync(join(folder, part));
    const results = [];
    for (const step of steps.keys()) {
      const task = { module: sdk.module, caseName: name, step, apiKey: API_KEY, earlier: results };
      results.push(await runStep(sdk.node, folder, simulator.url, task));
    }
    const stats = await settledStats(simulator);
    const requests = await simulator.requests();
    check(results, { stats, requests, version });
    checkTransport(requests, transport, stats.runs);
    if (record !== undefined) recorded.push({ version, transport, turn: record, requests: newestTurn(requests) });
  } finally {
    await simulator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One step in a process of its own, with a home of its own and nothing but the simulator to talk to. */
async function runStep(node, folder, url, task) {
  const argument = JSON.stringify({ ...task, cwd: join(folder, "project"), store: join(folder, "store") });
  const home = join(folder, "home");
  const child = fork(fileURLToPath(new URL("client.js", import.meta.url)), [argument], {
    execPath: node,
    cwd: join(folder, "project"),
    env: { PATH: process.env.PATH, HOME: home, USERPROFILE: home, TMPDIR: tmpdir(), CURSOR_BACKEND_URL: url },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  let outcome;
  child.on("message", (message) => {
    outcome = message;
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), STEP_MS);
  // The last message may come after the exit, but not after the channel is closed.
  await Promise.all([once(child, "exit"), once(child, "disconnect")]);
  clearTimeout(timer);
  if (outcome === undefined) throw new Error(`the client ended without an outcome\n${output.slice(-4_000)}`);
  if (outcome.error !== undefined) throw new Error(`${outcome.error}\n${output.slice(-4_000)}`);
  return outcome.value;
}

/** A client that left may be noticed a moment later. */
async function settledStats(simulator) {
  const deadlineMs = Date.now() + SETTLE_MS;
  for (;;) {
    const stats = await simulator.stats();
    if (stats.runsOpen === 0 || Date.now() > deadlineMs) return stats;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Everything since the turn before it, so that a first turn comes with the calls that prepare it. */
function newestTurn(requests) {
  const streams = requests.flatMap((request, index) => (isStream(request) ? [index] : []));
  return requests.slice((streams.at(-2) ?? -1) + 1);
}

function isStream({ path }) {
  return path.startsWith(RUN_PATH);
}

/** The case counts only if the SDK really took the transport that it was advised to take. */
function checkTransport(requests, transport, runs) {
  const path = transport === "h2" ? RUN_PATH : `${RUN_PATH}SSE`;
  const streams = requests.filter(isStream);
  if (streams.length !== runs || streams.some((request) => request.path !== path)) {
    throw new Error(`expected ${runs} × ${path}, saw ${streams.map((each) => each.path).join(", ") || "none"}`);
  }
}

function report() {
  const columns = VERSIONS.flatMap(({ version }) => TRANSPORTS.map((transport) => ({ version, transport })));
  const names = [...new Set(wanted.map(({ name }) => name))];
  const width = Math.max(...names.map((name) => name.length), 4);
  const cell = (name, { version, transport }) => {
    const outcome = outcomes.find(
      (each) => each.name === name && each.version === version && each.transport === transport,
    );
    return outcome?.failure === undefined ? "ok" : "FAIL";
  };
  console.log(
    `\n${"case".padEnd(width)}  ${columns.map(({ version, transport }) => `${version} ${transport}`).join("  ")}`,
  );
  for (const name of names) {
    console.log(`${name.padEnd(width)}  ${columns.map((column) => cell(name, column).padEnd(9)).join("  ")}`.trimEnd());
  }
  if (flags.record !== undefined) writeFileSync(flags.record, `${JSON.stringify(recorded, undefined, 2)}\n`);
  const failed = outcomes.filter(({ failure }) => failure !== undefined).length;
  console.log(`\n${outcomes.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && outcomes.length > 0 ? 0 : 1;
}
