import { readFileSync, statSync } from "node:fs";
import { registry } from "@curlew/gateway/backends/registry.js";
import { systemClock } from "@curlew/gateway/system/clock.js";
import { findChanges } from "@curlew/wire/descriptors/find-changes.js";
import { isNewer } from "../../config/client-version.js";
import type { Settings } from "../../config/settings.js";
import { type Finding, ok, reasonOf, skipped, warn } from "./finding.js";

/** Several times the size of the SDK's. */
const MAX_BUNDLE_BYTES = 32 * 1024 * 1024;
const MAX_NAMED = 40;

/** What an SDK or CLI on this machine sends and reads that Curlew does not know, if it is newer. Its code is read as text and never run. */
export async function checkFields(name: "sdk" | "cli", settings: Settings): Promise<Finding[]> {
  const parts = { settings, machine: settings.machine, clock: systemClock };
  const program = await (await registry[name].ownLogin()).installed(parts);
  if (program === undefined || !isNewer(program.version, settings.profile.clients[name].version)) return [];
  const { version, bundle } = program;
  try {
    if (statSync(bundle).size > MAX_BUNDLE_BYTES) throw new Error(`${bundle} is too large`);
    const { added, changed } = findChanges(readFileSync(bundle, "utf8"));
    const others = [...changed.sent, ...changed.read];
    if (others.length > 0) return [warn("fields", `${version} has changed what Curlew uses: ${listed(others)}.`)];
    if (added.length === 0) return [ok("fields", `${version} has no field that Curlew does not know.`)];
    return [ok("fields", `${version} has fields that Curlew does not know: ${listed(added)}.`)];
  } catch (thrown) {
    return [skipped("fields", `The messages of ${version} cannot be read: ${reasonOf(thrown)}`)];
  }
}

export function listed(items: readonly string[]): string {
  const more = items.length > MAX_NAMED ? `; and ${items.length - MAX_NAMED} more` : "";
  return `${items.slice(0, MAX_NAMED).join("; ")}${more}`;
}
