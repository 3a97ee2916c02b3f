// The official npm package @cursor/sdk, unmodified, against `curlew simulate`: each version over each transport, by default and with
// --strict. Then compares its messages with those of our own gateway, turn by turn (docs/protocol/parity.md).
//   node tests/official-sdk/run.js [--only WORDS] [--main FILE]
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { builtMain, Steps } from "../../testing/programs/steps.js";
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
/** How strictly the simulator reads the protocol. */
const READINGS = ["strict", "default"];

const { values: flags } = parseArgs({
  options: { only: { type: "string" }, main: { type: "string" } },
});
const main = builtMain(flags.main);

const steps = new Steps();
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
// Long waits cost no CPU, so they start first and the others run concurrently.
const isLong = ({ name }) => name.startsWith("35 s");
const queue = wanted.filter((job) => !isLong(job));
const workers = Array.from({ length: availableParallelism() }, async () => {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) await runJob(job);
});
await Promise.all([...wanted.filter(isLong).map(runJob), ...workers]);
if (wanted.some(isCompared)) await compareWithOurs();
const columns = VERSIONS.flatMap(({ version }) =>
  TRANSPORTS.flatMap((transport) => READINGS.map((reading) => columnOf({ version, transport, reading }))),
);
const compared = wanted.filter(isCompared).map(({ record: turn }) => parityName(turn));
const names = new Set([...wanted.map(({ name }) => name), ...compared]);
steps.printTable("case", [...names], columns, (name, column) => `${column}  ${name}`);
steps.report();

async function runJob(job) {
  await steps.attempt(labelOf(job), () => {
    if (job.install.status === "rejected") throw job.install.reason;
    return runCase(job, job.install.value, main);
  });
}

/** Plays the same turns with our gateway. One transport and one reading are enough: HTTP/1.1 differs only in its transport. */
async function compareWithOurs() {
  const ourTurns = (await steps.attempt("parity: our turns", () => playOurTurns(main))) ?? {};
  const comparisons = [];
  for (const job of wanted.filter(isCompared)) {
    const { record: turn } = job;
    await steps.attempt(labelOf({ ...job, name: parityName(turn) }), () => {
      const requests = steps.valueOf(labelOf(job));
      if (requests === undefined || ourTurns[turn] === undefined) throw new Error("nothing was recorded");
      comparisons.push(compareTurn(requests, ourTurns[turn]));
    });
  }
  if (comparisons.length === jobs.filter(isCompared).length) {
    await steps.attempt("parity: the page is true", () => checkPage(comparisons));
  }
}

function isCompared({ transport, reading, record }) {
  return transport === "h2" && reading === "strict" && record !== undefined;
}

function columnOf({ version, transport, reading }) {
  return `${version} ${transport} ${reading}`;
}

function labelOf(job) {
  return `${columnOf(job)}  ${job.name}`;
}

function isNamed(name) {
  return flags.only === undefined || name.includes(flags.only);
}

function parityName(turn) {
  return `parity: ${turn} turn`;
}
