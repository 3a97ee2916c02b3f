// Other projects' clients of Cursor, unmodified from npm, against the default `curlew simulate`: text, a tool round trip, a second
// turn and an error with each (docs/protocol/other-clients.md). About 650 MB of packages are kept in the system's
// temporary directory.
//   node tests/peers/run.js [--only WORDS] [--strict] [--main FILE]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startSimulator } from "../../testing/programs/start-simulator.js";
import { builtMain, Steps } from "../../testing/programs/steps.js";
import { installPeers, versions } from "./install.js";
import { peers } from "./peers.js";
import { playTurns } from "./turns.js";

/** An unanswered question ends the run after this time, so that a hanging client fails by name. */
const PATIENCE_MS = 20_000;

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, strict: { type: "boolean" }, main: { type: "string" } },
});
const main = builtMain(flags.main);

const steps = new Steps();
const installed = await steps.attempt("all  install", () => installPeers());
if (installed !== undefined) {
  for (const peer of peers.filter(({ name }) => name.includes(flags.only))) await playPeer(peer);
}
steps.report(2);

async function playPeer(peer) {
  const label = `${peer.name} ${versions[peer.name]}`;
  const home = mkdtempSync(join(tmpdir(), "curlew-peer-"));
  const limits = ["--patience-ms", String(PATIENCE_MS)];
  const simulator = await startSimulator(main, "h2", limits, { isStrict: flags.strict === true });
  let started;
  try {
    started = await steps.attempt(`${label}  start`, () => peer.start({ ...installed, home, url: simulator.url }));
    if (started === undefined) return;
    await playTurns(peer, started.open, (turn, play) => steps.attempt(`${label}  ${turn}`, play, started.log));
    const { execsUnclosed, blobsUnhashed, resumes } = await simulator.stats();
    console.log(`      ${JSON.stringify({ execsUnclosed, blobsUnhashed, resumes })}`);
  } finally {
    await started?.stop();
    await simulator.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
