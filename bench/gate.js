// Checks whether the gateway still costs what it did when the limits in gate-limits.json were set.
//   node bench/gate.js [--renew] [--checkout FOLDER]
// --renew writes new limits from the current figures; --checkout measures another built checkout.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { takeMeasures } from "./gate-measures.js";
import { judge, renewLimits } from "./judge.js";
import { commitOf } from "./machine.js";
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
const MOST_TIMES = 3;
const limitsFile = fileURLToPath(new URL("./gate-limits.json", import.meta.url));
const { node, limits } = JSON.parse(readFileSync(limitsFile, "utf8"));
const startedMs = performance.now();
let figures = await measure();
const isOver = ({ verdict }) => verdict === "over";
for (let times = 1; times < MOST_TIMES && (flags.renew || judge(figures, limits).some(isOver)); times++) {
  console.log("The figures are measured once more, because a disturbance only makes a run more expensive.");
  const again = await measure();
  figures = Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, Math.min(figure, again[name])]));
}
if (flags.renew) {
  const checkout = flags.checkout ?? fileURLToPath(new URL("..", import.meta.url));
  const of = { node: process.version, commit: commitOf(checkout), renewed: new Date().toISOString() };
  const renewed = { ...of, limits: renewLimits(figures) };
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
  const words = { ok: "ok", over: "FAILED", gain: "GAIN", shown: "" };
  for (const { name, figure, limit, verdict } of verdicts) {
    const bound = verdict === "shown" ? "".padEnd(21) : ` of at most${show(limit)}`;
    console.log(`${words[verdict].padEnd(6)}${show(figure)}${bound}  ${name}`);
  }
  const count = (wanted) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  const [over, gains] = [count("over"), count("gain")];
  if (over > 0) {
    console.log(
      `${over} of ${verdicts.length} figures are above their limits (bench/gate-limits.json). Find the cause with`,
    );
    console.log("node bench/run.js --builds BEFORE AFTER; if the change is worth it, run node bench/gate.js --renew.");
  }
  if (gains > 0) {
    console.log(`${gains} figures are 5 % or more below what was measured. Keep that: run node bench/gate.js --renew.`);
  }
  if (over === 0) return;
  if (node.split(".")[0] !== process.version.split(".")[0]) {
    console.log(
      `The limits were set with Node ${node}, and this is ${process.version}: allocations may differ for that reason.`,
    );
  }
  process.exitCode = 1;
}
