// Makes docs/performance.md and its pictures from the results that are kept in bench/results.
import { barPlot } from "./plot.js";
import {
  allocationTable,
  buildsTable,
  callsTable,
  coldStartTable,
  cpuTable,
  firstByteTable,
  officialTable,
  parkedTable,
  ratioTable,
  repeatTable,
  stalledTable,
  storeTable,
  stretchTable,
  targetNames,
  upstreamTable,
} from "./tables.js";

/** Files of docs/ by their names. The first of several whole runs is shown, and the others are compared with it. */
export function performancePage(results) {
  const comparisons = results.filter(({ builds }) => builds.length === 2);
  const others = results.filter(({ against }) => against !== undefined);
  const whole = results.filter((result) => !comparisons.includes(result) && !others.includes(result));
  const [main] = whole;
  const plots = main === undefined ? {} : plotsOf(main);
  const text = [
    INTRO,
    ...(main === undefined ? [NO_FIGURES] : mainSections(main)),
    ...(whole.length > 1 ? [section("Repeated", REPEATED, repeatTable(whole))] : []),
    ...comparisons.map((result) => section(`Builds: ${result.name}`, buildNote(result), buildsTable(result))),
    ...others.flatMap(otherSections),
    FOOTER,
  ].join("\n\n");
  return { "performance.md": `${text}\n`, ...plots };
}

const INTRO = `# Performance

<!-- Written by \`node bench/write-docs.js\` from bench/results; edits here are lost. -->

Curlew stands between a client and a model that thinks for seconds, so it should cost next to nothing. The bench measures that with
three programs that play the same replies from the same upstream, alternating in one run:

- **ceiling**: a proxy that copies ready-made bytes without reading them;
- **floor**: the minimum that a gateway to Cursor must do, without the features of a product;
- **gateway**: Curlew as users run it, logging errors only.

The upstream is [like live](guide/simulator.md#like-live) unless the run says plain, so each delta has a time beside it.
CPU is that of all threads, by the kernel's counters. Ratios are taken within a round and shown as the median of all rounds with
the smallest and the largest: \`1.80 [1.60-2.20]\`. Ratios are comparable between machines; microseconds are not.`;

const NO_FIGURES =
  "No figures are published now: a run counts only until the limits of the gate are next renewed, and none has been made since.";

const REPEATED =
  "The same bench on the same machine at another time. A larger difference between two builds is not noise.";

const FOOTER = `## How to run it

\`\`\`sh
npm run build
npm run bench -- --quick                       # about 4 minutes
npm run bench -- --name mine                   # about 8 minutes; writes bench/results/mine.json
npm run bench -- --builds ../before ../after   # two built checkouts in one run
npm run bench -- --builds --page . .           # what an open page costs
npm run bench -- --only 'short|paced' --rounds 15
node bench/others.js opencodex --quick         # another gateway beside ours, from npm; also: portkey
npm run bench:gate                             # counts that a change should not raise
node bench/write-docs.js                       # this page
\`\`\`

\`node bench/run.js --help\` names the rest: Cursor's own SDK beside ours, CPU profiles. The gate checks what hardly depends on
machine load (allocation, bytes and runs upstream, growth with the length of a conversation) and, generously, CPU; reads and writes
are only shown. Its limits are in \`bench/gate-limits.json\`, with the commit that they were measured on. Counted figures may be
5 % higher, and figures 5 % lower ask for new limits, so that a gain is kept.`;

function mainSections(result) {
  const { machine, builds, rounds } = result;
  const summary = [
    `Run of ${dayOf(result)} at commit ${builds[0].commit}: ${rounds} rounds, Node ${machine.node}, ${machine.cores} cores`,
    `(${machine.cpu}), ${machine.memoryGiB} GiB, Linux ${machine.kernel}, load before the run ${machine.loadBefore}.`,
  ].join(" ");
  return [
    summary,
    `## CPU, as a multiple of the ceiling\n\n![CPU per request as a multiple of the ceiling](performance/requests.svg)\n\n![CPU per delta as a multiple of the ceiling](performance/deltas.svg)\n\n${markdown(ratioTable(result))}`,
    section("CPU in microseconds", "Per request, or per delta for paced and burst.", cpuTable(result)),
    section("Time to the first byte, as a multiple of the ceiling", "", firstByteTable(result)),
    section("Allocated on the heap, KiB", "Per request or delta.", allocationTable(result)),
    section(
      "Reads and writes",
      "System calls of these kinds by the main thread, per request or delta, without waiting.",
      callsTable(result),
    ),
    section("Bytes sent upstream", "Per request, without headers.", upstreamTable(result)),
    section(
      "Longest stretch",
      "How long one request blocks the event loop, in milliseconds: the longest turn of the loop as CPU time of the main thread, without garbage collection; median of several requests.",
      stretchTable(result),
    ),
    section("Parked runs", "Runs that wait for the results of a tool call, each with 15 tools.", parkedTable(result)),
    section(
      "Stalled readers",
      "Ten clients that read nothing of a long reply; heap and buffers after a collection.",
      stalledTable(result),
    ),
    section(
      "Stores",
      "The store alone. A stretch is CPU time between two turns of the event loop, in which all streams stall.",
      storeTable(result),
    ),
    section("Cold start", "", coldStartTable(result)),
    section(
      "Beside Cursor's own SDK",
      "The turns after the first of one conversation, each side on a simulator of its own. The SDK is gateway and client in one, and its CPU that of both; the gateway's client is not counted.",
      officialTable(result),
    ),
  ].filter((text) => text !== "");
}

function otherSections(result) {
  const { name, note } = result.against;
  return [
    section(
      `Beside ${name}`,
      `${note} Run of ${dayOf(result)} at commit ${result.builds[0].commit}.`,
      ratioTable(result),
    ),
    markdown(firstByteTable(result)),
  ];
}

/** Runs from before there was a choice had a plain upstream. */
const dayOf = ({ date, like = "plain" }) => `${date.slice(0, 10)} (upstream ${like})`;

function buildNote({ builds, rounds, mode, ...run }) {
  const named = builds.map(({ name, commit }) => `${name} is ${commit}`).join(", ");
  return `Run of ${dayOf(run)}, ${mode}, ${rounds} rounds: ${named}. Changes are of the medians.`;
}

function section(title, note, table) {
  if (table.rows.length === 0) return "";
  return [`## ${title}`, note, markdown(table)].filter((text) => text !== "").join("\n\n");
}

function markdown({ head, rows }) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map((_, column) => (column === 0 ? "---" : "--:")).join("|")}|`, ...rows.map(line)].join(
    "\n",
  );
}

function plotsOf(result) {
  const series = targetNames(result);
  const plot = (unit) =>
    barPlot({
      title: `CPU per ${unit}, multiple of the copying proxy`,
      series,
      unit: "x",
      groups: result.scenarios
        .filter((scenario) => scenario.unit === unit)
        .map(({ title, targets }) => ({
          label: shortened(title),
          values: series.map((name) => targets[name].cpuUsRatio),
        })),
    });
  return { "performance/requests.svg": plot("request"), "performance/deltas.svg": plot("delta") };
}

function shortened(title) {
  return title.replace("15 tools, context question, checkpoint", "Agent turn").split(": 16")[0].split(": 4 streams")[0];
}
