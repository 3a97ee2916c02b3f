// The real command-line clients from npm, unmodified, through the built gateway to the simulator: for each dialect that a client
// speaks a tool round trip, one more turn in a new process, two tools at once, and, where it has them, words that are typed while
// a tool runs and tools that are declared late; and then, all clients beside each other, turns that fail for a minute. About 2 GB of
// packages are kept in the system's temporary directory.
//   node tests/clients/run.js [--only WORDS] [--keep] [--main FILE]
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { clients } from "./clients.js";
import { playDeferred } from "./deferred.js";
import { failures, isRepeater, playFailure } from "./failing.js";
import { installClient } from "./install.js";
import { playClient } from "./play.js";
import { playQueued } from "./queued.js";
import { turns } from "./turns.js";
import { packages } from "./versions.js";

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, keep: { type: "boolean" }, main: { type: "string" } },
});
const main = flags.main ?? fileURLToPath(new URL("../../dist/main.js", import.meta.url));
if (!existsSync(main)) {
  console.error(`${main} is missing. Run \`npm run build\` first.`);
  process.exit(1);
}

const outcomes = [];
const installed = [];
const wanted = clients.filter((client) => labelOf(client).toLowerCase().includes(flags.only.toLowerCase()));
for (const client of wanted) {
  const label = labelOf(client);
  try {
    const path = await installClient(client.command);
    installed.push({ client, path });
    const deps = { path, main, isKept: flags.keep };
    await playClient(client, deps, (turn, play) => attempt(label, turn, play));
    if (client.terminal !== undefined) await attempt(label, "queued", () => playQueued(client, deps));
    if (client.deferred !== undefined) await attempt(label, "deferred", () => playDeferred(client, deps));
  } catch (thrown) {
    await attempt(label, "start", () => Promise.reject(thrown));
  }
}
const failing = installed.filter(({ client }) => isRepeater(client));
await Promise.all(
  failing.flatMap(({ client, path }) =>
    failures.map((directive) =>
      attempt(labelOf(client), directive, () => playFailure(client, directive, { path, main, isKept: flags.keep })),
    ),
  ),
);
report();

/** Runs a step that counts, and reports its result. */
async function attempt(label, turn, play) {
  const startedMs = Date.now();
  let failure;
  let note;
  try {
    note = await play();
  } catch (thrown) {
    failure = thrown instanceof Error ? thrown : new Error(String(thrown));
  }
  outcomes.push({ label, turn, failure });
  const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
  const details = [...(note === undefined ? [] : [note]), `${seconds} s`].join(", ");
  console.log(`${failure === undefined ? "ok  " : "FAIL"}  ${label}  ${turn}  (${details})`);
  if (failure !== undefined) console.log(`      ${failure.message.replaceAll("\n", "\n      ")}`);
}

function report() {
  const names = [...turns.map(({ name }) => name), "queued", "deferred", ...failures];
  const width = Math.max(...wanted.map((client) => labelOf(client).length), 6);
  const cell = (client, turn) => {
    const outcome = outcomes.find((each) => each.label === labelOf(client) && each.turn === turn);
    if (outcome === undefined) return "-";
    return outcome.failure === undefined ? "ok" : "FAIL";
  };
  console.log(`\n${"client".padEnd(width)}  ${names.join("  ")}`);
  for (const client of wanted) {
    const cells = names.map((name) => cell(client, name).padEnd(name.length)).join("  ");
    console.log(`${labelOf(client).padEnd(width)}  ${cells}`.trimEnd());
  }
  const failed = outcomes.filter(({ failure }) => failure !== undefined).length;
  console.log(`\n${outcomes.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && outcomes.length > 0 ? 0 : 1;
}

function labelOf({ name, command, dialect }) {
  return `${name} ${packages[command].version} ${dialect}`;
}
