import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { settingsFrom } from "../../config/flags.js";
import { loadSettings, type SettingsSources } from "../../config/load.js";
import { thisMachine } from "../../config/machine.js";
import { SettingsError, type SettingsFault } from "../../config/settings-error.js";
import { settingsTable, settingsWithFlag } from "../../config/table.js";
import { shownOn } from "../../shown-on.js";

/** These say where files are; they are no settings. */
const ofPlaces = ["CURLEW_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA"];

/**
 * Prints every fault of a settings file; if none is named, of the usual one and of flags and environment. The exit code is 2 if
 * there is any.
 */
export function check(args: Readonly<Record<string, unknown>>, file: string | undefined, wantsJson: boolean): number {
  const { env } = thisMachine();
  const sources = settingsFrom(args, settingsWithFlag(settingsTable));
  const configFile = file === undefined ? sources.configFile : resolve(file);
  const alone = { env: Object.fromEntries(ofPlaces.map((name) => [name, env[name]])), configFile };
  // A value that a flag or a variable overrules is a fault in waiting, so the file is read by itself first.
  const readings = [read(alone), ...(file === undefined ? [read(sources)] : [])];
  const faults = unique(readings.flatMap((each) => each.faults));
  const warnings = [...new Set(readings.flatMap((each) => each.warnings))];
  const path = readings[0]?.configFile ?? configFile ?? null;
  const { stdout, stderr } = process;
  if (wantsJson) stdout.write(`${JSON.stringify({ configFile: path, faults, warnings }, null, 2)}\n`);
  else {
    for (const each of warnings) stderr.write(`curlew: ${shownOn(stderr, each)}\n`);
    for (const { message } of faults) stdout.write(`${shownOn(stdout, message)}\n`);
    if (faults.length === 0) stdout.write(praise(path === null ? null : shownOn(stdout, path)));
  }
  return faults.length === 0 ? 0 : 2;
}

function praise(path: string | null): string {
  if (path === null) return "No mistakes found.\n";
  return existsSync(path)
    ? `No mistakes found in ${path}.\n`
    : `No mistakes found. There is no settings file yet (${path}).\n`;
}

interface Reading {
  readonly configFile?: string;
  readonly faults: readonly SettingsFault[];
  readonly warnings: readonly string[];
}

function read(sources: SettingsSources): Reading {
  try {
    const { configFile, warnings } = loadSettings(sources);
    return { configFile, faults: [], warnings };
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    return { faults: thrown.faults, warnings: [] };
  }
}

function unique(faults: readonly SettingsFault[]): SettingsFault[] {
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}
