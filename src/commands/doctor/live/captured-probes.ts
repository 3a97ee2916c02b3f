import { type Capture, finishCapture, RawCapture } from "../../../capture/index.js";
import type { LoadedSettings } from "../../../config/load.js";
import { version } from "../../../version.js";
import { checkAccount } from "../check-account.js";
import { withProbeGateway } from "./probe-gateway.js";
import { probeTexts } from "./probe-texts.js";
import { runSilently } from "./run-probes.js";
import { readSpend } from "./spend.js";
import { WireWatch } from "./wire-watch.js";

/** Records a doctor's calls. Only the probes' own texts are shown in what it makes of them. */
export class ProbeCapture {
  readonly recorder = new RawCapture(() => performance.now());

  finish(): Capture {
    const shown = { prompts: probeTexts };
    return finishCapture(this.recorder, { by: "doctor", version, nowMs: Date.now(), shown });
  }
}

/**
 * Makes the calls of `doctor --live` without printing anything, on the backend of these settings, and returns their capture.
 *
 * @throws {CommandFailure} The first turn failed.
 */
export async function captureProbes(loaded: LoadedSettings, model: string): Promise<Capture> {
  const capture = new ProbeCapture();
  const settings = { ...loaded.settings, logLevel: "silent" as const };
  const watch = new WireWatch(() => performance.now(), capture.recorder);
  await withProbeGateway(
    settings,
    async (composed) => {
      for await (const _ of checkAccount(composed, loaded));
      await readSpend(composed);
      await runSilently({ composed, settings, model, watch }, "--diff");
    },
    watch,
  );
  return capture.finish();
}
