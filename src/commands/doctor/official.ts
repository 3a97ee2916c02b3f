import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../../simulator/index.js";
import { registry } from "../../backends/registry.js";
import { type Capture, type Difference, diffFields, finishCapture, RawCapture, RUN } from "../../capture/index.js";
import { thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";
import { version } from "../../version.js";
import { CommandFailure } from "../line/command-failure.js";
import { reasonOf } from "./finding.js";
import { withProbeGateway } from "./live/probe-gateway.js";
import { probeTexts } from "./live/probe-texts.js";
import { runSilently } from "./live/run-probes.js";
import { WireWatch } from "./live/wire-watch.js";

/** More calls than the probes make. */
const ALL_CALLS = 1_000;

/**
 * Runs the probes through Cursor's SDK and through Curlew, each against a simulator that records what it is sent, and compares
 * the two. It needs no account and spends nothing.
 *
 * @throws {CommandFailure} The SDK is not installed or does not answer.
 */
export async function diffWithOfficial(settings: Settings, model: string): Promise<Difference[]> {
  const { report } = await registry.sdk.ownLogin();
  const found = await report({ settings, machine: thisMachine() });
  if (!found.isUsable) throw new CommandFailure(1, `--official: ${reasonOf(found.why)}`);
  const official = await clientCapture({ ...settings, backend: "sdk" }, model);
  const ours = await clientCapture({ ...settings, backend: "agent" }, model);
  return diffFields(official, ours).filter(({ from }) => from === "client");
}

/** Everything that a backend sends for the probes, as a server sees it. */
async function clientCapture(settings: Settings, model: string): Promise<Capture> {
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
      (composed) => runSilently({ composed, settings: simulated, model, watch }, "--official"),
      watch,
    );
    for (const { path, httpVersion, headers } of simulator.requests(ALL_CALLS))
      raw.open({ method: "POST", path, http: httpVersion.startsWith("2") ? "2" : "1.1", headers });
    return finishCapture(raw, { by: "doctor", version, nowMs: Date.now(), shown: { prompts: probeTexts } });
  } finally {
    await simulator.close();
    rmSync(stateFolder, { recursive: true, force: true });
  }
}
