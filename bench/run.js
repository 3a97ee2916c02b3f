// What a delta, a request and a stalled reader cost in the gateway, relative to a proxy that only copies bytes, in the
// same run on the same machine. Ratios travel between machines; absolute figures do not.
//   node bench/run.js [--rounds 5] [--json]
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chat, stall } from "./client.js";
import { cpuUs, rssKiB, start, startGateway } from "./process.js";

const { values: flags } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, json: { type: "boolean" } },
});
const rounds = Number(flags.rounds);

/** `spec` is what the upstream plays; `streams` run side by side, `times` one after another. */
const workloads = [
  { name: "burst", goal: 0.9, spec: "deltas=20000 chunk=64 pause=0", deltas: 20_000, streams: 4, times: 2 },
  { name: "paced", goal: 1.25, spec: "deltas=200 chunk=1 pause=1", deltas: 200, streams: 16, times: 2 },
  { name: "request", goal: 1.25, spec: "deltas=1 chunk=1 pause=0", deltas: 1, streams: 1, times: 300 },
];

const home = mkdtempSync(join(tmpdir(), "curlew-bench-"));
const upstream = await start("./upstream.js");
const ceiling = await start("./ceiling.js", upstream.url);
const gateway = await startGateway(upstream.url, home);
const targets = [
  { name: "ceiling", ...ceiling },
  { name: "gateway", ...gateway },
];

try {
  for (const target of targets) for (const workload of workloads) await measure(target, workload); // warm up
  const results = {};
  for (const workload of workloads) {
    const ratios = [];
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? targets : [...targets].reverse();
      const taken = {};
      for (const target of order) taken[target.name] = await measure(target, workload);
      ratios.push({
        cpu: taken.gateway.cpuUs / taken.ceiling.cpuUs,
        firstByte: taken.gateway.firstMs / taken.ceiling.firstMs,
        gatewayUs: taken.gateway.cpuUs,
        ceilingUs: taken.ceiling.cpuUs,
      });
    }
    results[workload.name] = {
      goal: workload.goal,
      cpuRatio: spread(ratios.map(({ cpu }) => cpu)),
      firstByteRatio: spread(ratios.map(({ firstByte }) => firstByte)),
      gatewayUsPerUnit: spread(ratios.map(({ gatewayUs }) => gatewayUs)),
      ceilingUsPerUnit: spread(ratios.map(({ ceilingUs }) => ceilingUs)),
    };
  }
  results.stalledReader = await stalledReaders(gateway);
  results.coldStart = coldStart();
  report(results);
} finally {
  for (const { child } of [upstream, ceiling, gateway]) child.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
}

/** CPU of the target per delta (or per request, when there is one delta), and the median time to the first byte. */
async function measure({ child, url }, { spec, deltas, streams, times }) {
  const before = cpuUs(child.pid);
  const firsts = [];
  for (let time = 0; time < times; time++) {
    const replies = await Promise.all(Array.from({ length: streams }, () => chat(url, spec)));
    for (const { text, firstMs } of replies) {
      if (text.split(" ").length - 1 !== deltas - Math.floor(deltas / 10))
        throw new Error(`lost text: ${text.length} characters`);
      firsts.push(firstMs);
    }
  }
  return { cpuUs: (cpuUs(child.pid) - before) / (deltas * streams * times), firstMs: median(firsts) };
}

/** What each of ten readers that read nothing makes the gateway hold. */
async function stalledReaders({ child, url }) {
  const count = 10;
  const beforeKiB = rssKiB(child.pid);
  const releases = await Promise.all(Array.from({ length: count }, () => stall(url, "deltas=500000 chunk=64 pause=0")));
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const heldKiB = (rssKiB(child.pid) - beforeKiB) / count;
  const neighbour = await chat(url, "deltas=2000 chunk=64 pause=0");
  for (const release of releases) release();
  return { goal: 1_024, heldKiB, neighbourFirstMs: neighbour.firstMs };
}

function coldStart() {
  const time = (...args) => {
    const runs = Array.from({ length: 9 }, () => {
      const startedMs = performance.now();
      spawnSync(process.execPath, args);
      return performance.now() - startedMs;
    });
    return median(runs);
  };
  const emptyMs = time("-e", "0");
  const versionMs = time("dist/main.js", "--version");
  return { goal: 2, emptyMs, versionMs, ratio: versionMs / emptyMs };
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function spread(numbers) {
  return { median: median(numbers), min: Math.min(...numbers), max: Math.max(...numbers) };
}

function report(results) {
  mkdirSync("bench/results", { recursive: true });
  const text = JSON.stringify({ node: process.version, rounds, results }, null, 2);
  writeFileSync("bench/results/latest.json", `${text}\n`);
  if (flags.json) return console.log(text);
  const show = ({ median: middle, min, max }) => `${middle.toFixed(2)} [${min.toFixed(2)}-${max.toFixed(2)}]`;
  console.table(
    Object.fromEntries(
      workloads.map(({ name, goal }) => [
        name,
        {
          "CPU x ceiling": show(results[name].cpuRatio),
          goal,
          "us per delta": results[name].gatewayUsPerUnit.median.toFixed(2),
          "ceiling us": results[name].ceilingUsPerUnit.median.toFixed(2),
          "first byte x": show(results[name].firstByteRatio),
        },
      ]),
    ),
  );
  const { stalledReader, coldStart: cold } = results;
  console.log(`stalled reader holds ${stalledReader.heldKiB.toFixed(0)} KiB (goal ${stalledReader.goal})`);
  console.log(
    `curlew --version takes ${cold.ratio.toFixed(2)}x an empty Node (${cold.versionMs.toFixed(0)} ms, goal ${cold.goal}x)`,
  );
}
