// Checks whether the gateway still costs what it did when the limits in gate-limits.json were set.
//   node bench/gate.js [--renew] [--checkout FOLDER]
// --renew writes new limits from the figures of now; --checkout measures another built checkout.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { takeMeasures } from "./gate-measures.js";
import { judge, renewLimits } from "./judge.js";
import { stop } from "./process.js";
import { removeHome, startCeiling, startCurlew, startUpstream } from "./targets/start.js";

const { values: flags } = parseArgs({
  options: { renew: { type: "boolean", default: false }, checkout: { type: "string" } },
});
if (!existsSync("/proc/self/io")) {
  console.log("The gate needs the counters that Linux keeps in /proc; nothing was measured.");
  process.exit();
}

/**
 * Code that waits for the compiler's thread allocates more, and on a busy machine it waits long. Without such threads, runs of the
 * same number of requests have always compiled the same code.
 */
const nodeArgs = ["--single-threaded"];
const limitsFile = fileURLToPath(new URL("./gate-limits.json", import.meta.url));
const { node, limits } = JSON.parse(readFileSync(limitsFile, "utf8"));
const startedMs = performance.now();
let figures = await measure();
const isOver = ({ passes }) => !passes;
if (!flags.renew && judge(figures, limits).some(isOver)) {
  console.log(
    "Some figures are above their limits. They are measured once more, because a disturbance only makes a run more expensive.",
  );
  const again = await measure();
  figures = Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, Math.min(figure, again[name])]));
}
if (flags.renew) {
  const renewed = { node: process.version, limits: renewLimits(figures, limits) };
  writeFileSync(limitsFile, `${JSON.stringify(renewed, null, 2)}\n`);
} else report(judge(figures, limits));
console.log(`measured in ${Math.round((performance.now() - startedMs) / 1_000)} s`);

async function measure() {
  const upstream = await startUpstream();
  const targets = [];
  try {
    targets.push(
      await startCeiling(upstream, nodeArgs),
      await startCurlew(upstream, { checkout: flags.checkout, nodeArgs }),
    );
    const [ceiling, gateway] = targets;
    return await takeMeasures({ upstream, ceiling, gateway }, (step) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${step}`);
    });
  } finally {
    for (const target of targets) {
      await target.stop();
      removeHome(target);
    }
    await stop(upstream);
  }
}

function report(verdicts) {
  const show = (value) => (value === undefined ? "-" : String(Number(value.toPrecision(4)))).padStart(10);
  for (const { name, figure, limit, passes } of verdicts) {
    console.log(`${passes ? "ok    " : "FAILED"}${show(figure)} of at most${show(limit)}  ${name}`);
  }
  const failed = verdicts.filter(isOver).length;
  if (failed === 0) return;
  console.log(
    `${failed} of ${verdicts.length} figures are above their limits (bench/gate-limits.json). Find the cause with`,
  );
  console.log("node bench/run.js --builds BEFORE AFTER; if the change is worth it, run node bench/gate.js --renew.");
  if (node.split(".")[0] !== process.version.split(".")[0]) {
    console.log(
      `The limits were set with Node ${node}, and this is ${process.version}: allocations may differ for that reason.`,
    );
  }
  process.exitCode = 1;
}
