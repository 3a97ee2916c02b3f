import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ClaimedClient } from "@curlew/gateway/backends/backend-parts.js";
import { builtInSdk, type CursorProfile } from "@curlew/gateway/backends/profile/index.js";
import { localFolder, type Machine } from "@curlew/gateway/system/machine.js";

/** Such as `2026.10.01-e373342`; some builds have the time before the hash, and a channel after it. */
const VERSION = /^\d{4}\.\d{2}\.\d{2}(?:-[\w.]+)+$/;

/** The clients that calls identify as: CLI or SDK, and the desktop app for the old chat calls. `set` is the version of one. */
export function claimedClients(set: string, profile: CursorProfile, onGivingWay?: (version: string) => void) {
  const { clients, agentClient } = profile;
  const version = isDesktopVersion(set) ? clients[agentClient].version : set;
  const { userAgent } = version.startsWith("sdk-") ? clients.sdk : clients.cli;
  const desktop = isDesktopVersion(set) ? set : clients.ide.version;
  const agent = givingWay({ version, userAgent }, newestSpoken(profile), onGivingWay);
  return { agent, desktop: { version: desktop, userAgent: clients.ide.userAgent } };
}

/** The newest client whose messages Curlew is known to speak: the built-in SDK, or one in the owner's file. */
export function newestSpoken({ clients: { sdk } }: CursorProfile): ClaimedClient {
  return isNewer(builtInSdk.version, sdk.version) ? builtInSdk : sdk;
}

/** Once Cursor refuses the client as outdated, calls claim the newest that Curlew speaks, and no other. */
function givingWay(
  client: ClaimedClient,
  newest: ClaimedClient,
  onGivingWay?: (version: string) => void,
): Required<ClaimedClient> {
  let now = client;
  return {
    get version() {
      return now.version;
    },
    get userAgent() {
      return now.userAgent;
    },
    givesWay({ code }, version) {
      if (code !== "client_outdated" || isNewer(client.version, newest.version)) return false;
      if (now.version !== newest.version) onGivingWay?.(newest.version);
      now = newest;
      return version !== newest.version;
    },
  };
}

export function isDesktopVersion(version: string): boolean {
  return /^\d/.test(version);
}

/** Whether a version is newer than another one of the same client, by its numbers. Builds of one day count as equal. */
export function isNewer(version: string, than: string): boolean {
  const numbersOf = (name: string) => /^(cli|sdk)-(\d+(?:\.\d+)*)/.exec(name);
  const [, client, numbers = ""] = numbersOf(version) ?? [];
  const [, otherClient, otherNumbers = ""] = numbersOf(than) ?? [];
  return client === otherClient && numbers.localeCompare(otherNumbers, "en", { numeric: true }) > 0;
}

/** The version of the Cursor CLI, which updates itself. Runs no program. */
export function findClientVersion(machine: Machine): { value: string; origin: string } | undefined {
  const onWindows = join(localFolder(machine), "cursor-agent");
  const elsewhere = join(machine.homeDirectory, ".local", "share", "cursor-agent", "versions");
  const folders = machine.platform === "win32" ? [join(onWindows, "versions"), onWindows] : [elsewhere];
  for (const folder of folders) {
    const newest = newestIn(folder);
    if (newest !== undefined) return { value: `cli-${newest}`, origin: `the Cursor CLI in ${folder}` };
  }
  return undefined;
}

/** The newest by its date; of two builds of one day, the one modified later. */
function newestIn(folder: string): string | undefined {
  try {
    const versions = readdirSync(folder).filter((name) => VERSION.test(name));
    const built = versions.map((name) => ({
      name,
      date: name.slice(0, 10),
      atMs: statSync(join(folder, name)).mtimeMs,
    }));
    return built.sort((a, b) => b.date.localeCompare(a.date) || b.atMs - a.atMs)[0]?.name;
  } catch {
    return undefined;
  }
}
