// Plays a day of everyday work on the gateway, with the simulator as Cursor, and reports the cost of each user message: runs, bytes
// sent again, and whether the conversation was continued. Needs a build of each checkout.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createServer } from "vite";
import { commitOf } from "./machine.js";

const USAGE = `node bench/day-at-work.js [options] [checkout ...]
  plays the same day on each of the built checkouts, or on this one
  --messages N          500 unless told
  --conversations N     20 unless told
  --seed N              another day
  --like plain|live     what the simulator is like: live, unless told
  --env NAME=VALUE      a setting of the gateway, such as CURLEW_STORE=memory; may be repeated
  --write-peaks         keeps the peaks, beside which the guide shows the default limits
  --json                the figures as JSON, and those of every message`;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: "string", default: "500" },
    conversations: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    like: { type: "string", default: "live" },
    env: { type: "string", multiple: true, default: [] },
    "write-peaks": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean" },
  },
});
if (flags.help) {
  console.log(USAGE);
  process.exit();
}

const root = fileURLToPath(new URL("..", import.meta.url));
/** The test helpers used here are in TypeScript, and load more modules during the day. */
const vite = await createServer({
  root,
  configFile: false,
  logLevel: "error",
  appType: "custom",
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
});
const load = (file) => vite.ssrLoadModule(`${root}/tests/day/${file}`);
const { playDay } = await load("play.ts");
const { reportDay, toTable } = await load("report.ts");
const { peaksText, readPeaks } = await load("peaks.ts");

const reports = [];
for (const checkout of positionals.length === 0 ? [root] : positionals.map((folder) => resolve(folder))) {
  let peaks;
  const costs = await playDay({
    seed: Number(flags.seed),
    messages: Number(flags.messages),
    conversations: Number(flags.conversations),
    checkout,
    like: flags.like,
    env: Object.fromEntries(flags.env.map((setting) => setting.split(/=(.*)/s, 2))),
    onMessage: (count) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kmessage ${count} of ${flags.messages}`);
    },
    onEnd: async (home) => {
      peaks = await readPeaks(join(home, "ledger"));
    },
  });
  const commit = commitOf(checkout);
  const report = reportDay(costs);
  reports.push({ checkout: commit, ...report, peaks, perMessage: costs });
  if (!flags.json) console.log(`${toTable(commit, report)}\n${peaksText(peaks)}\n`);
  if (flags["write-peaks"]) writeFileSync(`${root}/tests/day/peaks.json`, `${JSON.stringify(peaks, null, 2)}\n`);
}
if (flags.json) console.log(JSON.stringify({ seed: Number(flags.seed), reports }, null, 2));
if (reports.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
await vite.close();
