import type { SettingName } from "../config/settings.js";

/** What decides how Cursor is reached; every command that does so has these flags. */
export const upstreamSettings: readonly SettingName[] = [
  "backend",
  "routes",
  "fallback",
  "cliPath",
  "sdkPath",
  "sdkNode",
  "backendUrl",
  "agentUrl",
  "transport",
  "clientVersion",
  "stallMs",
  "silenceMs",
  "heartbeatMs",
  "retries",
  "logLevel",
];
