import { join } from "node:path";
import type { Backend } from "../../backends/backend.js";
import { createSdkBackend, defaultSdkLimits, locateSdk, type SdkLocation } from "../../backends/sdk/index.js";
import { systemClock } from "../../clock.js";
import { thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";
import type { RoadParts } from "./road-parts.js";

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

/** Throws, with what to do, where the SDK or a Node that is new enough for it is missing. */
export function findInstalledSdk({ sdkPath, sdkNode: node }: Settings): Promise<SdkLocation> {
  return locateSdk({ sdkPath, node, workingFolder: process.cwd(), environment: thisMachine().env });
}
