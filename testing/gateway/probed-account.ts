import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Probe } from "../../packages/cli/commands/doctor/live/lab.js";
import {
  type ProbeCosts,
  type ProbeResult,
  runProbes,
  withProbeGateway,
} from "../../packages/cli/commands/doctor/live/run-probes.js";
import { WireWatch } from "../../packages/cli/commands/doctor/live/wire-watch.js";
import { loadSettings } from "../../packages/cli/config/load.js";
import { type StrictStart, startSimulator } from "../simulator/strict-simulator.js";

export interface Account {
  readonly simulator?: StrictStart;
  readonly model?: string;
  /** The owner's overlay of the profile. */
  readonly overlay?: object;
  readonly limitMs?: number;
  /** Instead of those that the account would get. */
  readonly probes?: readonly Probe[];
}

export interface ProbedAccount extends ProbeCosts {
  readonly results: readonly ProbeResult[];
  /** The runs that the simulator has counted. */
  readonly served: number;
}

/** Runs the probes of `doctor --live` in this process. */
export async function probeAccount({ simulator: start = {}, model = "auto", overlay, limitMs, probes }: Account = {}) {
  const simulator = await startSimulator(start);
  const home = mkdtempSync(join(tmpdir(), "curlew-probed-"));
  if (overlay !== undefined) writeFileSync(join(home, "cursor.json"), JSON.stringify(overlay), { mode: 0o600 });
  const { settings } = loadSettings({
    given: { backendUrl: simulator.url, apiKey: "crsr_probed_0123456789abcdef", logLevel: "silent" },
    home,
  });
  const watch = new WireWatch(() => performance.now());
  const results: ProbeResult[] = [];
  try {
    const turns = probes?.reduce((sum, probe) => sum + probe.turns, 0) ?? 0;
    const limit = {
      ...(limitMs !== undefined && { limitMs }),
      ...(probes !== undefined && { plan: { probes, turns, models: [model] } }),
    };
    const costs = await withProbeGateway(
      settings,
      process.stderr,
      (composed) =>
        runProbes({ composed, settings, stderr: process.stderr, model, watch, ...limit }, (result) =>
          results.push(result),
        ),
      watch,
    );
    const probed: ProbedAccount = { ...costs, results, served: simulator.stats().runs };
    return probed;
  } finally {
    await simulator.close();
    rmSync(home, { recursive: true, force: true });
  }
}
