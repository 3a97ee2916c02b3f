// Real clients as people use them: a day's messages typed in the client's terminal, as `curlew setup` leaves it, and the runs of
// every message counted. Clients are played side by side.
//   node tests/clients/terminals.js [--only NAME,...] [--newest] [--keep] [--main FILE]
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { builtMain, Steps } from "../../testing/programs/steps.js";
import { clients } from "./clients.js";
import { playDay } from "./day.js";
import { habits } from "./habits.js";
import { installClient, newestVersion } from "./install.js";
import { packages } from "./versions.js";

const MOST_AT_ONCE = 3;

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: Object.keys(habits).join() },
    newest: { type: "boolean" },
    keep: { type: "boolean" },
    main: { type: "string" },
  },
});
const main = builtMain(flags.main);
const names = flags.only.split(",");
const wanted = clients.filter(({ setup }) => names.includes(setup));

const steps = new Steps();
const rows = [];
const waiting = [...wanted];
const atOnce = Math.min(MOST_AT_ONCE, availableParallelism() + 1);
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let client = waiting.shift(); client !== undefined; client = waiting.shift()) await attempt(client);
  }),
);
printRows();
steps.report(names.length);

async function attempt(client) {
  await steps.attempt(client.name, async () => {
    const { version, path } = await install(client.command);
    const day = await playDay(client, { path, main, isKept: flags.keep }, ({ name, counted }, ms) =>
      console.log(`      ${client.name}  ${name}: ${counted} runs  (${(ms / 1_000).toFixed(1)} s)`),
    );
    rows.push({ name: client.name, version, ...day });
    judgeDay(client, day);
    return `${version}, ${day.steps.length} steps`;
  });
}

/** The newest version if asked for, else the recorded one, and that one too if the newest cannot be installed. */
async function install(command) {
  const { version: recorded } = packages[command];
  if (flags.newest) {
    try {
      const version = await newestVersion(command);
      if (version !== recorded) console.log(`      ${command} ${version} is newer than the recorded ${recorded}`);
      return { version, path: await installClient(command, version) };
    } catch (thrown) {
      console.log(`      ${command}: the recorded ${recorded} is played, because ${thrown.message}`);
    }
  }
  return { version: recorded, path: await installClient(command) };
}

function judgeDay({ sessions: lists }, { steps: played, failure, called, ran, sessions }) {
  const wrong = played.filter(({ runs, counted, ledger }) => counted !== runs || ledger !== counted);
  const lines = wrong.map(({ name, runs, counted, ledger, requests }) =>
    [`${name}: ${counted} runs, ${ledger} in the ledger, where ${runs} were expected`, ...requests].join("\n  "),
  );
  if (failure !== undefined)
    lines.push(failure.message, `runs so far: ${JSON.stringify(played.map((each) => [each.name, each.counted]))}`);
  if (lines.length > 0) throw new Error(lines.join("\n"));
  assert.deepEqual(ran.toSorted(), called.toSorted(), "tools that ran");
  if (lists !== undefined) assert.match(sessions, /name a bird/i, "the list of sessions has the user's words");
}

function printRows() {
  const columns = ["client", "version", "messages", "joined", "runs", "runs per message", "more runs for", "left out"];
  const cells = rows.map(({ name, version, steps: played, lacks }) => {
    const sum = (of) => played.reduce((total, each) => total + each[of], 0);
    const own = sum("runs") - sum("allowed");
    const perMessage = ((sum("counted") - sum("allowed")) / own).toFixed(2);
    const more = played.filter(({ allowed }) => allowed > 0).map(({ name: step, allowed }) => `${step} ${allowed}`);
    const out = Object.entries(lacks).map(([act, reason]) => `${act} (${reason})`);
    const counts = [sum("messages"), sum("messages") - own, sum("counted"), perMessage];
    return [name, version, ...counts, more.join(", "), out.join(", ")];
  });
  const widths = columns.map((column, at) => Math.max(column.length, ...cells.map((row) => String(row[at]).length)));
  const lineOf = (row) => row.map((cell, at) => String(cell).padEnd(widths[at])).join("  ");
  console.log(["", ...[columns, ...cells].map((row) => lineOf(row).trimEnd())].join("\n"));
  console.log(
    "Joined: typed during a tool, or after Esc; such words reach the run that waits, and runs are per other message.",
  );
  console.log("A deferred tool is played with Claude Code only.");
}
