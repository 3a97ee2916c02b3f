// Measures the time from the start of the process to the output of `--version`, and to a gateway that listens.
import { spawnSync } from "node:child_process";
import { cpuUs } from "../process.js";
import { median } from "../statistics.js";
import { removeHome, startCurlew } from "../targets/start.js";

/** Compares with a Node that does nothing. The two alternate, so that a busy moment affects both. */
export function measureVersion(checkout, times) {
  const rounds = Array.from({ length: times }, () => ({
    emptyMs: wallMs("-e", "0"),
    versionMs: wallMs(`${checkout}/dist/main.js`, "--version"),
  }));
  const emptyMs = median(rounds.map((round) => round.emptyMs));
  const versionMs = median(rounds.map((round) => round.versionMs));
  return { emptyMs, versionMs, ratio: median(rounds.map((round) => round.versionMs / round.emptyMs)) };
}

function wallMs(...args) {
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args);
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return performance.now() - startedMs;
}

export async function measureServe(upstream, checkout, times) {
  const startsMs = [];
  const cpuMs = [];
  for (let time = 0; time < times; time++) {
    const startedMs = performance.now();
    const gateway = await startCurlew(upstream, { checkout });
    startsMs.push(performance.now() - startedMs);
    cpuMs.push(cpuUs(gateway.pid) / 1_000);
    await gateway.stop();
    removeHome(gateway);
  }
  return { readyMs: median(startsMs), readyCpuMs: median(cpuMs) };
}
