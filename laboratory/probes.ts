import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../packages/cli/app/version.js";
import { checkAccount } from "../packages/cli/commands/doctor/check-account.js";
import { reasonOf } from "../packages/cli/commands/doctor/finding.js";
import { probeTexts } from "../packages/cli/commands/doctor/live/probe-texts.js";
import {
  type ProbeDeps,
  type ProbeResult,
  readSpend,
  runProbes,
  withProbeGateway,
} from "../packages/cli/commands/doctor/live/run-probes.js";
import { WireWatch } from "../packages/cli/commands/doctor/live/wire-watch.js";
import type { LoadedSettings } from "../packages/cli/config/load.js";
import type { Settings } from "../packages/cli/config/settings.js";
import { finishCapture, RawCapture } from "../packages/gateway/backends/capture/index.js";
import { registry } from "../packages/gateway/backends/registry.js";
import { startSimulator } from "../packages/simulator/index.js";
import { RUN } from "../packages/wire/messages/calls.js";
import type { Capture } from "../packages/wire/messages/capture-format.js";

/** More calls than the probes make. */
const ALL_CALLS = 1_000;

/** A problem that the user of these scripts can solve. */
export class Refusal extends Error {}

/** Makes the calls of `doctor --live` on the built-in simulator. */
export async function captureSimulated(loaded: LoadedSettings, model: string): Promise<Capture> {
  const settings: Settings = {
    ...loaded.settings,
    backend: "simulator",
    routes: {},
    fallback: [],
    logLevel: "silent",
  };
  const raw = new RawCapture(() => performance.now());
  const watch = new WireWatch(() => performance.now(), raw);
  await withProbeGateway(
    settings,
    process.stderr,
    async (composed) => {
      for await (const _ of checkAccount(composed, { ...loaded, settings }));
      await readSpend(composed);
      await runSilently({ composed, settings, stderr: process.stderr, model, watch });
    },
    watch,
  );
  return captureOf(raw);
}

/**
 * Runs the probes through Cursor's SDK and through Curlew, each against a simulator that records what it is sent. It needs no
 * account and spends nothing.
 */
export async function captureOfficial(
  settings: Settings,
  model: string,
): Promise<readonly [official: Capture, ours: Capture]> {
  const { report } = await registry.sdk.ownLogin();
  const found = await report({ settings, machine: settings.machine });
  if (!found.isUsable) throw new Refusal(reasonOf(found.why));
  const official = await captureClient({ ...settings, backend: "sdk" }, model);
  return [official, await captureClient({ ...settings, backend: "agent" }, model)];
}

/** Everything that a backend sends for the probes, as a server sees it. */
async function captureClient(settings: Settings, model: string): Promise<Capture> {
  const raw = new RawCapture(() => performance.now());
  const run = raw.open({
    method: "POST",
    path: RUN,
    http: "2",
    headers: { "content-type": "application/connect+proto" },
  });
  // The backends continue some conversations differently. A server that remembers nothing asks both of them for content.
  const simulator = await startSimulator({ forgetBlobs: true, onClientMessage: (payload) => run.sent(payload) });
  // The probes' state is kept apart from the user's.
  const stateFolder = mkdtempSync(join(tmpdir(), "curlew-official-"));
  const simulated: Settings = {
    ...settings,
    backendUrl: simulator.url,
    agentUrl: undefined,
    apiKey: `crsr_simulated_${randomBytes(16).toString("hex")}`,
    routes: {},
    fallback: [],
    stateFolder,
    logLevel: "silent",
  };
  try {
    const watch = new WireWatch(() => performance.now());
    await withProbeGateway(
      simulated,
      process.stderr,
      (composed) => runSilently({ composed, settings: simulated, stderr: process.stderr, model, watch }),
      watch,
    );
    for (const { path, httpVersion, headers } of simulator.requests(ALL_CALLS))
      raw.open({ method: "POST", path, http: httpVersion.startsWith("2") ? "2" : "1.1", headers });
    return captureOf(raw);
  } finally {
    await simulator.close();
    rmSync(stateFolder, { recursive: true, force: true });
  }
}

/** Runs the probes only for what they send. If the first one fails, the others may have sent nothing. */
async function runSilently(deps: ProbeDeps): Promise<void> {
  const results: ProbeResult[] = [];
  await runProbes(deps, (result) => results.push(result));
  const [first] = results;
  if (first?.status === "fail") throw new Refusal(`The first turn failed. ${first.note}`);
}

function captureOf(raw: RawCapture): Capture {
  return finishCapture(raw, { by: "doctor", version, nowMs: Date.now(), shown: { prompts: probeTexts } });
}
