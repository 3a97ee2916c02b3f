// The official npm package @cursor/sdk, unmodified, against `curlew simulate`: each version over each transport, by default and with
// --strict. Then, turn by
// turn, what it said there against what our own gateway says (docs/protocol/parity.md).
//   node tests/official-sdk/run.js [--only WORDS] [--main FILE]
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cases } from "./cases.js";
import { installSdk } from "./install.js";
import { playOurTurns } from "./parity/our-turns.js";
import { checkPage, compareTurn } from "./parity/parity.js";
import { runCase } from "./run-case.js";

const VERSIONS = [
  { version: "1.0.18", hasSqlite: true },
  { version: "1.0.32", nodeMajor: "24" },
];
const TRANSPORTS = ["h2", "h1"];
/** How the simulator reads the protocol. */
const READINGS = ["strict", "default"];
const COLUMN_WIDTH = "1.0.00 h2 default".length;

const { values: flags } = parseArgs({
  options: { only: { type: "string" }, main: { type: "string" } },
});
const main = flags.main ?? fileURLToPath(new URL("../../dist/main.js", import.meta.url));
if (!existsSync(main)) {
  console.error(`${main} is missing. Run \`npm run build\` first.`);
  process.exit(1);
}

const outcomes = [];
const installs = await Promise.allSettled(VERSIONS.map(installSdk));
const jobs = installs
  .flatMap((install, index) =>
    TRANSPORTS.flatMap((transport) =>
      READINGS.flatMap((reading) =>
        cases.map((each) => ({ ...each, transport, reading, install, version: VERSIONS[index].version })),
      ),
    ),
  )
  .filter(({ version, versions = [version] }) => versions.includes(version));
const wanted = jobs.filter(
  ({ name, record: turn }) => isNamed(name) || (turn !== undefined && isNamed(parityName(turn))),
);
// Long waits cost nothing, so they begin first and the others run at the same time.
const isLong = ({ name }) => name.startsWith("35 s");
const queue = wanted.filter((job) => !isLong(job));
const workers = Array.from({ length: availableParallelism() }, async () => {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) await runJob(job);
});
await Promise.all([...wanted.filter(isLong).map(runJob), ...workers]);
if (wanted.some(isCompared)) await compareWithOurs();
report();

async function runJob(job) {
  await attempt(job, async () => {
    if (job.install.status === "rejected") throw job.install.reason;
    return { requests: await runCase(job, job.install.value, main) };
  });
}

/** Our own gateway in the same turns. HTTP/1.1 differs only in its transport, so one transport is enough, and one reading. */
async function compareWithOurs() {
  let ourTurns = {};
  await attempt({ name: "parity: our turns" }, async () => {
    ourTurns = await playOurTurns(main);
  });
  const comparisons = [];
  for (const job of wanted.filter(isCompared)) {
    const { version, transport, reading, record: turn } = job;
    await attempt({ name: parityName(turn), version, transport, reading }, () => {
      const { requests } = outcomes.find((each) => isSame(job, each));
      if (requests === undefined || ourTurns[turn] === undefined) throw new Error("nothing was recorded");
      comparisons.push(compareTurn(requests, ourTurns[turn]));
    });
  }
  if (comparisons.length === jobs.filter(isCompared).length) {
    await attempt({ name: "parity: the page is true" }, () => checkPage(comparisons));
  }
}

/** Runs a step that counts, and reports its result. */
async function attempt(what, act) {
  const startedMs = Date.now();
  let failure;
  let outcome;
  try {
    outcome = await act();
  } catch (thrown) {
    failure = thrown instanceof Error ? thrown : new Error(String(thrown));
  }
  const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
  outcomes.push({ ...what, ...outcome, failure });
  const label = [what.version, what.transport, what.reading, what.name].filter((part) => part !== undefined).join("  ");
  console.log(`${failure === undefined ? "ok  " : "FAIL"}  ${label}  (${seconds} s)`);
  if (failure !== undefined) console.log(`      ${failure.message.replaceAll("\n", "\n      ")}`);
}

function report() {
  const columns = VERSIONS.flatMap(({ version }) =>
    TRANSPORTS.flatMap((transport) => READINGS.map((reading) => ({ version, transport, reading }))),
  );
  const inTable = [...wanted, ...outcomes.filter(({ version }) => version !== undefined)];
  const names = [...new Set(inTable.map(({ name }) => name))];
  const width = Math.max(...names.map((name) => name.length), 4);
  const cell = (name, column) => {
    const outcome = outcomes.find((each) => isSame(each, { name, ...column }));
    if (outcome === undefined) return "-";
    return outcome.failure === undefined ? "ok" : "FAIL";
  };
  console.log(
    `\n${"case".padEnd(width)}  ${columns.map((column) => columnName(column).padEnd(COLUMN_WIDTH)).join("  ")}`.trimEnd(),
  );
  for (const name of names) {
    console.log(
      `${name.padEnd(width)}  ${columns.map((column) => cell(name, column).padEnd(COLUMN_WIDTH)).join("  ")}`.trimEnd(),
    );
  }
  const failed = outcomes.filter(({ failure }) => failure !== undefined).length;
  console.log(`\n${outcomes.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && outcomes.length > 0 ? 0 : 1;
}

function isCompared({ transport, reading, record }) {
  return transport === "h2" && reading === "strict" && record !== undefined;
}

function columnName({ version, transport, reading }) {
  return `${version} ${transport} ${reading}`;
}

function isNamed(name) {
  return flags.only === undefined || name.includes(flags.only);
}

function parityName(turn) {
  return `parity: ${turn} turn`;
}

function isSame(one, other) {
  const kind = ({ name, version, transport, reading }) => JSON.stringify([name, version, transport, reading]);
  return kind(one) === kind(other);
}
