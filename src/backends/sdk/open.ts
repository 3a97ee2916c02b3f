import { join } from "node:path";
import type { OpenBackend } from "../backend-parts.js";
import { createSdkBackend, defaultSdkLimits } from "./index.js";
import { findInstalled, type SdkLoginSettings } from "./own-login.js";

const DAY_MS = 24 * 60 * 60_000;

interface SdkSettings extends SdkLoginSettings {
  readonly backendUrl: string;
  readonly stateFolder: string | undefined;
  readonly stateMaxDays: number;
  readonly stallMs: number;
  readonly quietMs: number;
}

export const open: OpenBackend<SdkSettings> = (parts) => {
  const { backendUrl, stateFolder, stateMaxDays, stallMs, quietMs } = parts.settings;
  return ({ apiKey }) =>
    createSdkBackend({
      apiKey,
      backendUrl,
      folder: join(stateFolder ?? "state", "sdk"),
      maxAgeMs: stateMaxDays * DAY_MS,
      locate: () => findInstalled(parts),
      environment: parts.machine.env,
      clock: parts.clock,
      limits: { ...defaultSdkLimits, stallMs, quietMs },
    });
};
