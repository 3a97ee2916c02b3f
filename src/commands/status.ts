import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import { colorsFor, report } from "../terminal/print.js";
import { startSpinner } from "../terminal/spinner.js";
import { folded } from "../terminal/table.js";
import { defineCommand } from "./line/definition.js";
import { findNextStep } from "./setup/client-location.js";
import { describeStatus, NAME_WIDTH } from "./status/describe.js";
import { readStatus, type StatusReport } from "./status/read-status.js";

const statusSettings = [...upstreamSettings, "host", "port", "authCheckTimeoutMs"] as const;

export const status = defineCommand({
  examples: [
    ["curlew status", "who is signed in, and what is running"],
    ["curlew status --json", "the same for scripts"],
  ],
  args: {
    json: { type: "boolean", description: "Print JSON" },
    ...settingArgs(statusSettings),
  },
  async run({ args }) {
    const loaded = loadFrom(args, statusSettings);
    const stopSpinner = startSpinner("Asking Cursor", process.stderr);
    const found = await readStatus(loaded).finally(stopSpinner);
    const next = args.json ? "" : await nextAfter(found, loaded.settings);
    report(found, args.json, (shown) =>
      folded(process.stdout, describeStatus(shown, next, Date.now(), colorsFor(process.stdout)), NAME_WIDTH + 1),
    );
    return found.auth === "authenticated" ? 0 : 1;
  },
});

/** A credential that does not work is a case for the doctor: another sign-in may not be what it needs. */
function nextAfter(
  { auth, credential, gateway, troubles }: StatusReport,
  settings: Settings,
): Promise<string> | string {
  const isSignedIn = auth === "authenticated";
  if (!isSignedIn && credential !== null) return "Next, find out what is wrong: curlew doctor";
  const [fatal] = troubles.filter(({ isFatal }) => isFatal);
  if (fatal !== undefined) return `Next, since turns fail: ${fatal.command ?? "curlew doctor"}`;
  return findNextStep(settings, { isSignedIn, isRunning: gateway.isRunning });
}
