// Measures the time from the start of the process to the output of `--version`, to a gateway that listens, and to its first answer.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { send } from "../client.js";
import { dialects } from "../dialects.js";
import { cpuUs, startGateway, stop } from "../process.js";
import { shortRequest } from "../requests.js";
import { median } from "../statistics.js";

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

/** The command that users run: until its port is open, and until its first answer, for which it has to load the rest. */
export async function measureServe(upstream, checkout, times) {
  const rounds = [];
  for (let time = 0; time < times; time++) {
    const home = mkdtempSync(join(tmpdir(), "curlew-bench-"));
    const startedMs = performance.now();
    const gateway = await startGateway(upstream.url, home, { checkout });
    const used = () => ({ ms: performance.now() - startedMs, cpuMs: cpuUs(gateway.child.pid) / 1_000 });
    const ready = used();
    await send(gateway, dialects.chat, shortRequest(dialects.chat, String(time)));
    rounds.push({ ready, answered: used() });
    await stop(gateway);
    rmSync(home, { recursive: true, force: true });
  }
  const of = (moment, measure) => median(rounds.map((round) => round[moment][measure]));
  return {
    readyMs: of("ready", "ms"),
    readyCpuMs: of("ready", "cpuMs"),
    answeredMs: of("answered", "ms"),
    answeredCpuMs: of("answered", "cpuMs"),
  };
}
