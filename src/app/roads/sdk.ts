import { join } from "node:path";
import type { Backend } from "../../backends/backend.js";
import { createSdkBackend, defaultSdkLimits } from "../../backends/sdk/index.js";
import { systemClock } from "../../clock.js";
import { thisMachine } from "../../config/machine.js";
import type { RoadParts } from "./road-parts.js";
import { findInstalledSdk } from "./sdk-login.js";

const DAY_MS = 24 * 60 * 60_000;

export function openSdk({ settings, credential: { credential } }: RoadParts): Backend {
  const { backendUrl, stateFolder, stateMaxDays, stallMs, quietMs } = settings;
  const { env: environment } = thisMachine();
  return createSdkBackend({
    apiKey: credential.kind === "api-key" ? credential.apiKey : undefined,
    backendUrl,
    folder: join(stateFolder ?? "state", "sdk"),
    maxAgeMs: stateMaxDays * DAY_MS,
    locate: () => findInstalledSdk(settings),
    environment,
    clock: systemClock,
    limits: { ...defaultSdkLimits, stallMs, quietMs },
  });
}
