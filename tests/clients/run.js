// The real command-line clients from npm, unmodified, through the built gateway to the simulator. For each dialect of a client:
// a tool round trip, one more turn in a new process, two tools at once and, where supported, input typed while a tool runs and
// tools declared late. About 2 GB of packages are kept in the system's temporary directory.
//   node tests/clients/run.js [--only WORDS] [--keep] [--main FILE]
import { parseArgs } from "node:util";
import { builtMain, Steps } from "../../testing/programs/steps.js";
import { clients } from "./clients.js";
import { playDeferred } from "./deferred.js";
import { installClient } from "./install.js";
import { playClient } from "./play.js";
import { playQueued } from "./queued.js";
import { turns } from "./turns.js";
import { packages } from "./versions.js";

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, keep: { type: "boolean" }, main: { type: "string" } },
});
const main = builtMain(flags.main);

const steps = new Steps();
const attempt = (label, turn, play) => steps.attempt(`${label}  ${turn}`, play);
const wanted = clients.filter((client) => labelOf(client).toLowerCase().includes(flags.only.toLowerCase()));
for (const client of wanted) {
  const label = labelOf(client);
  try {
    const path = await installClient(client.command);
    const deps = { path, main, isKept: flags.keep };
    await playClient(client, deps, (turn, play) => attempt(label, turn, play));
    if (client.terminal !== undefined) await attempt(label, "queued", () => playQueued(client, deps));
    if (client.deferred !== undefined) await attempt(label, "deferred", () => playDeferred(client, deps));
  } catch (thrown) {
    await attempt(label, "start", () => Promise.reject(thrown));
  }
}
const names = [...turns.map(({ name }) => name), "queued", "deferred"];
steps.printTable("client", wanted.map(labelOf), names, (label, turn) => `${label}  ${turn}`);
steps.report();

function labelOf({ name, command, dialect }) {
  return `${name} ${packages[command].version} ${dialect}`;
}
