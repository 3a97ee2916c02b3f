import type { ComposedGateway } from "../../../app/compose.js";
import { withGateway } from "../../../app/with-gateway.js";
import { type Capture, finishCapture, RawCapture } from "../../../capture/index.js";
import type { LoadedSettings } from "../../../config/load.js";
import { version } from "../../../version.js";
import { checkAccount } from "../check-account.js";
import { Lab } from "./probe.js";
import { runProbes } from "./run-probes.js";

/** Records a doctor's calls, and knows which texts are its own. */
export class ProbeCapture {
  readonly recorder = new RawCapture(() => performance.now());
  #lab: Lab | undefined;

  labFor({ gateway }: Pick<ComposedGateway, "gateway">, model: string): Lab {
    this.#lab = new Lab(gateway, model);
    return this.#lab;
  }

  finish(): Capture {
    const shown = { prompts: this.#lab?.texts ?? [] };
    return finishCapture(this.recorder, { by: "doctor", version, nowMs: Date.now(), shown });
  }
}

/** Makes the calls of `doctor --live` without a word, on the backend of these settings, and returns their capture. */
export async function captureProbes(loaded: LoadedSettings, model: string): Promise<Capture> {
  const capture = new ProbeCapture();
  const settings = { ...loaded.settings, logLevel: "silent" as const };
  const drain = async (results: AsyncIterable<unknown>) => {
    for await (const _ of results);
  };
  await withGateway(
    settings,
    async (composed) => {
      await drain(checkAccount(composed, loaded));
      await drain(runProbes(composed, model, capture.labFor(composed, model)));
    },
    capture.recorder,
  );
  return capture.finish();
}
