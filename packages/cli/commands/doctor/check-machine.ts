import { existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { newLineage, openStore } from "@curlew/gateway/store/index.js";
import { type StoreSettings, storeOptions } from "../../app/prepare/own-files.js";
import { runningGateway } from "../../app/running-gateway.js";
import { localUrl } from "../../app/start/listen.js";
import { isNewEnough, oldestNode, version } from "../../app/version.js";
import { loadAndWarn } from "../../config/flags.js";
import { type LoadedSettings, loadSettings, type SettingsSources } from "../../config/load.js";
import { innerSettings, type Settings } from "../../config/settings.js";
import { SettingsError } from "../../config/settings-error.js";
import { posixWord as quoted } from "../../setup/shells.js";
import type { Output } from "../../terminal/command-machine.js";
import { checkFields } from "./check-fields.js";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.js";
import { updateProfile } from "./update-profile.js";

const OTHERS_MAY_WRITE = 0o022;

/** Checks that need no answer from Cursor. Undefined if the settings are invalid: then nothing else can be checked. */
export async function checkMachine(
  sources: SettingsSources,
  stderr: Output,
  found: (finding: Finding) => void,
  isUpdating: boolean,
) {
  found(checkNode(process.version));
  let loaded: LoadedSettings;
  try {
    loaded = loadAndWarn(sources, stderr);
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    found(fail("settings", reasonOf(thrown), "curlew config check"));
    return undefined;
  }
  const { platform } = loaded.settings.machine;
  found(checkSettings(loaded, platform));
  if (isUpdating) {
    found(await updateProfile(loaded, stderr));
    loaded = loadSettings(sources);
  }
  found(checkProfile(loaded, Date.now(), platform));
  for (const name of ["sdk", "cli"] as const)
    for (const finding of await checkFields(name, loaded.settings)) found(finding);
  found(await checkStore(innerSettings(loaded.settings), platform));
  found(await checkPort(loaded.settings));
  return loaded;
}

export function checkNode(nodeVersion: string): Finding {
  if (isNewEnough(nodeVersion)) return ok("node", nodeVersion);
  return fail("node", `${nodeVersion} is older than ${oldestNode}, which Curlew needs.`, "nvm install --lts");
}

/** Invalid values are refused earlier, when the settings are loaded. */
function checkSettings({ configFile, origins }: LoadedSettings, platform: NodeJS.Platform): Finding {
  const count = Object.keys(origins).length;
  if (!existsSync(configFile)) {
    const what = count === 0 ? "All defaults; no settings file." : `No settings file; ${count} set by other means.`;
    return ok("settings", what);
  }
  if (othersMayWrite(configFile, platform)) {
    const why = `Other users can write ${configFile}, and could redirect your token.`;
    return fail("settings", why, `chmod 600 ${quoted(configFile)}`);
  }
  return ok("settings", `${configFile}; ${count} set, the rest are defaults.`);
}

/** The mode says nothing on Windows, which has its own permissions. */
function othersMayWrite(path: string, platform: NodeJS.Platform): boolean {
  return platform !== "win32" && (statSync(path).mode & OTHERS_MAY_WRITE) !== 0;
}

async function checkPort({ host, port }: Settings): Promise<Finding> {
  const { listen } = await import("../../app/start/listen.js");
  try {
    const listener = await listen((_, response) => response.destroy(), { host, port });
    await listener.drain();
    return ok("port", `${port} on ${host} is free.`);
  } catch (thrown) {
    const running = await runningGateway(localUrl(host, port));
    if (running === undefined) return fail("port", reasonOf(thrown), "curlew serve --port 0");
    if (running.version === version) return ok("port", `A gateway runs at ${port} on ${host} (${running.backend}).`);
    return warn("port", `Curlew ${running.version} runs at ${port}, this is ${version}.`, "curlew serve");
  }
}

const FOR_OTHERS = 0o077;
const MEBIBYTE = 1_048_576;
const SCARCE_BYTES = 64 * MEBIBYTE;
/** A name that gateways do not use. */
const DOCTOR = "doctor";

async function checkStore(settings: StoreSettings, platform: NodeJS.Platform): Promise<Finding> {
  const options = storeOptions(settings);
  const { folder } = options;
  const isOpen = (path: string) => existsSync(path) && (statSync(path).mode & FOR_OTHERS) !== 0;
  const open = platform === "win32" ? undefined : [folder, join(folder, "data.mdb")].find(isOpen);
  if (open !== undefined) return fail("store", `Other users can read ${open}.`, `chmod -R go= ${quoted(folder)}`);
  const problems: Error[] = [];
  try {
    const { store, warnings } = await openStore({ ...options, onProblem: (problem) => problems.push(problem) });
    try {
      store.put(DOCTOR, newLineage(), { names: [DOCTOR], text: "checked" });
      await store.flush();
      const [warning] = warnings;
      // Without a usable folder, the store is in memory and warns about it.
      if (warning?.includes("in memory only")) return fail("store", warning, `chmod -R u+rwX ${quoted(folder)}`);
      if (warning !== undefined) return warn("store", warning);
      if (problems[0] !== undefined) return fail("store", reasonOf(problems[0]), `df -h ${quoted(folder)}`);
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < SCARCE_BYTES) {
        const why = `Less than ${SCARCE_BYTES / MEBIBYTE} MiB is free in ${folder}.`;
        return warn("store", why, `df -h ${quoted(folder)}`);
      }
      while (!store.sweep(options.now()).isDone);
      const { lineages = 0, bytes = 0 } = store.stats() ?? {};
      const size = (bytes / MEBIBYTE).toFixed(1);
      return ok("store", `${folder}: ${lineages} conversations and responses, ${size} MiB, writable.`);
    } finally {
      await store.close();
    }
  } catch (thrown) {
    return fail("store", `${folder} cannot be used: ${reasonOf(thrown)}`, `chmod -R u+rwX ${quoted(folder)}`);
  }
}

const DAY_MS = 24 * 60 * 60_000;
/** Cursor releases versions every week and refuses old ones after some months. */
const OLD_DAYS = 120;

export function checkProfile({ settings, overlay }: LoadedSettings, nowMs: number, platform: NodeJS.Platform): Finding {
  const built = Date.parse(settings.profile.updated);
  const inPackage = `The built-in Cursor profile is from ${dayOf(built)}, ${age(built, nowMs)}`;
  if (overlay === undefined) return judge(`${inPackage}.`, built, nowMs);
  const { path, updated } = overlay;
  if (othersMayWrite(path, platform)) {
    const why = `Other users can write ${path}, and could change how Curlew talks to Cursor.`;
    return fail("profile", why, `chmod 600 ${quoted(path)}`);
  }
  const changed = updated === undefined ? statSync(path).mtimeMs : Date.parse(updated);
  const own = `your changes in ${path} are from ${dayOf(changed)}, ${age(changed, nowMs)}`;
  return judge(`${inPackage}; ${own}.`, Math.max(built, changed), nowMs);
}

function judge(why: string, newestMs: number, nowMs: number): Finding {
  return nowMs - newestMs < OLD_DAYS * DAY_MS
    ? ok("profile", why)
    : warn("profile", why, "curlew doctor --update-profile");
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function age(ms: number, nowMs: number): string {
  const days = Math.max(0, Math.floor((nowMs - ms) / DAY_MS));
  return days === 0 ? "today" : days === 1 ? "1 day old" : `${days} days old`;
}
