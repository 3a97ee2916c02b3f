import type { Recorder } from "../backends/recorder.js";
import type { Settings } from "../config/settings.js";
import type { ComposedGateway } from "./compose.js";
import { chooseBackend } from "./prepare/choose-backend.js";

/** Runs `use` with a gateway in this process, without opening a port. */
export async function withGateway<Result>(
  settings: Settings,
  use: (composed: ComposedGateway) => Promise<Result>,
  recorder?: Recorder,
): Promise<Result> {
  const chosen = await chooseBackend(settings);
  // Reports bad settings before loading the larger part of the program.
  const { composeGateway } = await import("./compose.js");
  const composed = await composeGateway(settings, chosen, { recorder });
  try {
    return await use(composed);
  } finally {
    await composed.close();
  }
}
