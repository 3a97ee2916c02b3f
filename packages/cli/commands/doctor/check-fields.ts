import { readFileSync, statSync } from "node:fs";
import { registry } from "@curlew/gateway/backends/registry.js";
import { systemClock } from "@curlew/gateway/system/clock.js";
import { findChanges } from "@curlew/wire/descriptors/find-changes.js";
import { MAX_BUNDLE_BYTES } from "@curlew/wire/descriptors/read-bundle.js";
import { isNewer } from "../../config/client-version.js";
import type { Settings } from "../../config/settings.js";
import { type Finding, ok, reasonOf, skipped, warn } from "./finding.js";

const MAX_NAMED = 40;
/** Far longer than the names of Cursor's; a stranger's text may have any length. */
const MAX_NAME_CHARS = 300;

/** What an SDK or CLI on this machine sends and reads that Curlew does not know, if it is newer. Its code is read as text and never run. */
export async function checkFields(name: "sdk" | "cli", settings: Settings): Promise<Finding[]> {
  const parts = { settings, machine: settings.machine, clock: systemClock };
  const program = await (await registry[name].ownLogin()).installed(parts);
  if (program === undefined || !isNewer(program.version, settings.profile.clients[name].version)) return [];
  const { version, bundle } = program;
  try {
    if (statSync(bundle).size > MAX_BUNDLE_BYTES) throw new Error(`${bundle} is larger than 16 MiB`);
    const { added, changed } = findChanges(readFileSync(bundle, "utf8"));
    const others = [...changed.sent, ...changed.read];
    const news = added.length === 0 ? "no field that Curlew does not know" : `fields new to Curlew: ${listed(added)}`;
    const findings = [ok("fields", `${version} has ${news}.`)];
    if (others.length > 0) findings.push(warn("fields", `${version} has changed what Curlew uses: ${listed(others)}.`));
    return findings;
  } catch (thrown) {
    return [skipped("fields", `The messages of ${version} cannot be read: ${reasonOf(thrown)}`)];
  }
}

export function listed(items: readonly string[]): string {
  const more = items.length > MAX_NAMED ? `; and ${items.length - MAX_NAMED} more` : "";
  const named = items.slice(0, MAX_NAMED).map((item) => item.slice(0, MAX_NAME_CHARS));
  return `${named.join("; ")}${more}`;
}
