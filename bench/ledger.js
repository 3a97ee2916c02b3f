// Measures the ledger without the gateway: node --expose-gc --max-semi-space-size=256 bench/ledger.js [ENTRIES]
// The cost of recording a request, and of reading a full ledger.
// With a built dist/, also the CPU time of `curlew usage` on it, the start of the process included.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleLedger, CHUNK } from "./full-ledger.js";
import { Stretches } from "./scenarios/stretches.js";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..");
const entries = Number(process.argv[2] ?? 100_000);
const DAY_MS = 24 * 60 * 60 * 1_000;
// The folder is below the checkout, so that the bundle finds lmdb there.
const folder = mkdtempSync(join(checkout, "node_modules", ".curlew-bench-"));
try {
  const { open, play, openLedgerReader, searchInSlices, fill } = await bundleLedger(folder);
  await measureRequests(open, play);
  await fill("full", entries);
  console.log(`files: ${(sizeOf(join(folder, "full", "ledger")) / 1024 ** 2).toFixed(0)} MiB`);
  await measureReading(openLedgerReader, searchInSlices);
  measureCommand();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureRequests(open, play) {
  const ledger = open("requests");
  const round = async (count, isSameThread) => {
    const now = Date.now();
    const plays = Array.from({ length: count }, (_, at) =>
      play(`req_${at}_${Math.random()}`, now + at, isSameThread ? 1 : at),
    );
    globalThis.gc?.();
    return cost(() => {
      for (const each of plays) each();
    });
  };
  await round(CHUNK, false);
  for (const isSameThread of [false, false, true, true]) {
    const way = await round(CHUNK, isSameThread);
    const per = ({ cpuUs, bytes }) => `${(cpuUs / CHUNK).toFixed(1)} us and ${(bytes / CHUNK).toFixed(0)} B`;
    const threads = isSameThread ? "one thread" : "a thread each";
    console.log(`a request, ${threads}: ${per(way)}`);
  }
  await ledger.close();
}

async function measureReading(openLedgerReader, searchInSlices) {
  const before = snapshot();
  const reader = openLedgerReader(join(folder, "full", "ledger"));
  console.log(`opened: ${(since(before).cpuUs / 1_000).toFixed(1)} ms`);
  const now = Date.now() + DAY_MS;
  const shown = {
    "90 days by day": () => reader.rollUps("day", 0, now),
    "90 days by hour": () => reader.rollUps("hour", 0, now),
    "100 entries": () => reader.entries({ limit: 100 }),
    "a thread": () => [reader.thread("thread-1")],
    "all entries": () => reader.entries({ limit: entries }),
  };
  for (const [what, read] of Object.entries(shown)) {
    let found;
    const { cpuUs } = cost(() => {
      found = read();
    });
    console.log(`${what}: ${found.length} rows, ${(cpuUs / 1_000).toFixed(1)} ms`);
  }
  globalThis.gc?.(); // so that the search does not pay for collecting a million entries
  const stretches = new Stretches();
  let page;
  const started = snapshot();
  const search = { client: "nobody", limit: 1, maxLooked: Number.POSITIVE_INFINITY };
  await stretches.during("search", async () => {
    page = await searchInSlices(reader, search);
  });
  const { cpuUs } = since(started);
  const longest = stretches.longestMs.search.toFixed(1);
  console.log(
    `a search in vain: ${page.entries.length} rows, ${(cpuUs / 1_000).toFixed(0)} ms, longest stretch ${longest} ms`,
  );
}

function measureCommand() {
  const program = join(checkout, "dist", "main.js");
  if (!existsSync(program)) return;
  const report =
    "data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write('CPU '+(user+system)/1000+' ms')})";
  const usageArgs = ["usage", "--days", "90", "--json"];
  for (const [home, ...args] of [
    ["empty", "--version"],
    ["empty", ...usageArgs],
    ["full", ...usageArgs],
  ]) {
    const { stderr } = spawnSync(process.execPath, [`--import=${report}`, program, ...args], {
      env: { PATH: process.env.PATH, CURLEW_HOME: join(folder, home) },
      encoding: "utf8",
    });
    console.log(`curlew ${args.join(" ")}, ${home} ledger: ${/CPU .*/.exec(stderr)?.[0]}`);
  }
}

function sizeOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function cost(work) {
  const before = snapshot();
  work();
  return since(before);
}

function snapshot() {
  return { cpu: process.cpuUsage(), heap: process.memoryUsage().heapUsed };
}

function since({ cpu, heap }) {
  const bytes = process.memoryUsage().heapUsed - heap;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuUs: user + system, bytes };
}
