// Clients of Cursor that other people wrote, unmodified from npm, against the default `curlew simulate`: text, a tool round trip, a
// second turn and an error with each (docs/protocol/other-clients.md). About 650 MB of packages are kept in the system's
// temporary directory.
//   node tests/peers/run.js [--only WORDS] [--strict] [--main FILE]
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startSimulator } from "../../testing/programs/start-simulator.js";
import { installPeers, versions } from "./install.js";
import { peers } from "./peers.js";
import { playTurns } from "./turns.js";

/** A question that is left open ends the run after this, so that a client which hangs fails by name. */
const PATIENCE_MS = 20_000;

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, strict: { type: "boolean" }, main: { type: "string" } },
});
const main = flags.main ?? fileURLToPath(new URL("../../dist/main.js", import.meta.url));
if (!existsSync(main)) {
  console.error(`${main} is missing. Run \`npm run build\` first.`);
  process.exit(1);
}

const outcomes = [];
let installed;
await attempt("all", "install", async () => {
  installed = await installPeers();
});
if (installed !== undefined) {
  for (const peer of peers.filter(({ name }) => name.includes(flags.only))) await playPeer(peer);
}
const failed = outcomes.filter((isFine) => !isFine).length;
console.log(`\n${outcomes.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && outcomes.length > 1 ? 0 : 1;

async function playPeer(peer) {
  const label = `${peer.name} ${versions[peer.name]}`;
  const home = mkdtempSync(join(tmpdir(), "curlew-peer-"));
  const limits = ["--patience-ms", String(PATIENCE_MS)];
  const simulator = await startSimulator(main, "h2", limits, { isStrict: flags.strict === true });
  let started;
  try {
    await attempt(label, "start", async () => {
      started = await peer.start({ ...installed, home, url: simulator.url });
    });
    if (started === undefined) return;
    await playTurns(peer, started.open, (turn, play) => attempt(label, turn, play, started.log));
    const { execsUnclosed, blobsUnhashed, resumes } = await simulator.stats();
    console.log(`      ${JSON.stringify({ execsUnclosed, blobsUnhashed, resumes })}`);
  } finally {
    await started?.stop();
    await simulator.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Runs a step that counts, and reports its result. */
async function attempt(label, step, act, log = () => "") {
  const startedMs = Date.now();
  let failure;
  try {
    await act();
  } catch (thrown) {
    failure = `${thrown instanceof Error ? thrown.message : thrown}\n${log().slice(-2_000)}`;
  }
  outcomes.push(failure === undefined);
  const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
  console.log(`${failure === undefined ? "ok  " : "FAIL"}  ${label}  ${step}  (${seconds} s)`);
  if (failure !== undefined) console.log(`      ${failure.trim().replaceAll("\n", "\n      ")}`);
}
