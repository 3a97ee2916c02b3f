// Runs a case with its own simulator, home and project.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSimulator } from "../../testing/programs/start-simulator.js";

const RUN_PATH = "/agent.v1.AgentService/Run";
const STEP_MS = 120_000;
const SETTLE_MS = 5_000;
const API_KEY = "crsr_official_sdk";

/**
 * Runs the steps of a case in the SDK in sequence, and judges them. Returns what the SDK sent in the newest turn; throws on
 * failure.
 */
export async function runCase({ name, steps, check, transport, reading, version, simulatorFlags }, sdk, main) {
  const folder = mkdtempSync(join(tmpdir(), "curlew-sdk-case-"));
  const simulator = await startSimulator(main, transport, simulatorFlags, { isStrict: reading === "strict" });
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
    if (JSON.stringify(requests).includes(API_KEY)) throw new Error("the journal shows the API key");
    return newestTurn(requests);
  } finally {
    await simulator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a step in its own process and home, which can reach only the simulator. */
async function runStep(node, folder, url, task) {
  const argument = JSON.stringify({ ...task, cwd: join(folder, "project"), store: join(folder, "store") });
  const home = join(folder, "home");
  const child = fork(fileURLToPath(new URL("client.js", import.meta.url)), [argument], {
    execPath: node,
    cwd: join(folder, "project"),
    env: {
      PATH: process.env.PATH,
      HOME: home,
      USERPROFILE: home,
      TMPDIR: tmpdir(),
      CURSOR_BACKEND_URL: url,
      CURSOR_WEBSITE_URL: url,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  let outcome;
  child.on("message", (message) => {
    outcome = message;
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), STEP_MS);
  // The last message may come after the exit, but not after the channel is closed, so wait for both.
  await Promise.all([once(child, "exit"), once(child, "disconnect")]);
  clearTimeout(timer);
  if (outcome === undefined) throw new Error(`the client ended without an outcome\n${output.slice(-4_000)}`);
  if (outcome.error !== undefined) throw new Error(`${outcome.error}\n${output.slice(-4_000)}`);
  return outcome.value;
}

/** Waits: the simulator may notice a disconnect a moment later. */
async function settledStats(simulator) {
  const deadlineMs = Date.now() + SETTLE_MS;
  for (;;) {
    const stats = await simulator.stats();
    if (stats.runsOpen === 0 || Date.now() > deadlineMs) return stats;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** All requests since the previous turn, so that a first turn includes its preparing calls. */
function newestTurn(requests) {
  const streams = requests.flatMap((request, index) => (isStream(request) ? [index] : []));
  return requests.slice((streams.at(-2) ?? -1) + 1);
}

function isStream({ path }) {
  return path.startsWith(RUN_PATH);
}

/** The case counts only if the SDK really used the advised transport. */
function checkTransport(requests, transport, runs) {
  const path = transport === "h2" ? RUN_PATH : `${RUN_PATH}SSE`;
  const streams = requests.filter(isStream);
  if (streams.length !== runs || streams.some((request) => request.path !== path)) {
    throw new Error(`expected ${runs} × ${path}, saw ${streams.map((each) => each.path).join(", ") || "none"}`);
  }
}
