import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import { shownOn } from "../shown-on.js";
import { colorsFor } from "./line/colors.js";
import { defineCommand } from "./line/definition.js";
import { folded } from "./line/folded.js";
import { findNextStep } from "./setup/next-step.js";
import { describeStatus, NAME_WIDTH } from "./status/describe.js";
import { readStatus, type StatusReport } from "./status/read-status.js";
import { startSpinner } from "./terminal/spinner.js";

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
  /** The exit code is 0 if Cursor accepts the credential. */
  async run({ args }) {
    const loaded = loadFrom(args, statusSettings);
    const stopSpinner = startSpinner("Asking Cursor", process.stderr);
    const report = shownOn(process.stdout, await readStatus(loaded).finally(stopSpinner));
    if (args.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else {
      const next = await nextAfter(report, loaded.settings);
      const text = describeStatus(report, next, Date.now(), colorsFor(process.stdout));
      process.stdout.write(folded(process.stdout, text, NAME_WIDTH + 1));
    }
    return report.auth === "authenticated" ? 0 : 1;
  },
});

/** A credential that does not work is a case for the doctor: another sign-in may not be what it needs. */
function nextAfter({ auth, credential, gateway }: StatusReport, settings: Settings): Promise<string> | string {
  const isSignedIn = auth === "authenticated";
  if (!isSignedIn && credential !== null) return "Next, find out what is wrong: curlew doctor";
  return findNextStep(settings, { isSignedIn, isRunning: gateway.isRunning });
}
