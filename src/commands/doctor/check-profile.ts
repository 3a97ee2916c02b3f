import { statSync } from "node:fs";
import { registry } from "../../backends/registry.js";
import { systemClock } from "../../clock.js";
import { isNewer } from "../../config/client-version.js";
import type { LoadedSettings } from "../../config/load.js";
import { thisMachine } from "../../config/machine.js";
import { makeFolder } from "../../make-folder.js";
import { applyOverlay, mergeByKey, overlayPath } from "../../profile/index.js";
import { replaceFile } from "../../replace-file.js";
import { othersMayWrite, quoted } from "./check-machine.js";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.js";

const DAY_MS = 24 * 60 * 60_000;
/** Cursor brings out versions every week and refuses old ones after some months. */
const OLD_DAYS = 120;

/** Says how old Curlew's knowledge of Cursor is: what is in the package, and what the owner has changed. */
export function checkProfile({ settings, overlay }: LoadedSettings, nowMs: number, platform: NodeJS.Platform): Finding {
  const built = Date.parse(settings.profile.updated);
  const inPackage = `Curlew's facts about Cursor are from ${dayOf(built)}, ${age(built, nowMs)}`;
  if (overlay === undefined) return judge(`${inPackage}.`, built, nowMs);
  const { path, updated } = overlay;
  if (othersMayWrite(path, platform)) {
    return fail(
      "profile",
      `Other users can write ${path}, and could change how Curlew talks to Cursor.`,
      `chmod 600 ${quoted(path)}`,
    );
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

/**
 * Writes the versions of the installed CLI and SDK into the owner's overlay, beside what is there. Older ones than are known already
 * are left out.
 */
export async function updateProfile({ settings, overlay }: LoadedSettings, nowMs: number): Promise<Finding> {
  const { clients } = settings.profile;
  const parts = { settings, machine: thisMachine(), clock: systemClock };
  const cli = await (await registry.cli.ownLogin()).installedVersion(parts);
  const sdk = await (await registry.sdk.ownLogin()).installedVersion(parts);
  if (cli === undefined && sdk === undefined) {
    const why = "Neither Cursor's CLI nor its SDK is installed here, so there is no version to take over.";
    return fail("update", why, "npm install @cursor/sdk");
  }
  const day = dayOf(nowMs);
  const entry = (version: string) => ({ version, seen: day, source: "installed here" });
  const newCli = cli !== undefined && !isNewer(clients.cli.version, cli) ? { cli: entry(cli) } : {};
  const newSdk = sdk !== undefined && !isNewer(clients.sdk.version, sdk) ? { sdk: entry(sdk) } : {};
  const taken = { ...newCli, ...newSdk };
  const names = Object.values(taken).map(({ version }) => version);
  if (names.length === 0) {
    const known = [clients.cli.version, clients.sdk.version].join(" and ");
    return ok("update", `Nothing is newer here than ${known}, which Curlew knows already.`);
  }
  // The agent's calls claim to be the CLI, unless there is only an SDK to follow.
  const client = cli === undefined ? { agentClient: "sdk" } : {};
  const changes = mergeByKey(overlay?.changes ?? {}, { updated: day, ...client, clients: taken });
  const path = overlayPath(settings.home);
  try {
    applyOverlay({ path, changes });
    makeFolder(settings.home);
    replaceFile(path, `${JSON.stringify(changes, null, 2)}\n`);
  } catch (thrown) {
    return fail(
      "update",
      `The versions could not be taken over: ${reasonOf(thrown)}`,
      `ls -l ${quoted(settings.home)}`,
    );
  }
  return ok("update", `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} now in ${path}.`);
}
