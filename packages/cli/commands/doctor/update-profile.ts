import { applyOverlay, mergeByKey, overlayPath } from "@curlew/gateway/backends/profile/index.js";
import { createNetwork } from "@curlew/gateway/network/index.js";
import { makeFolder } from "@curlew/gateway/system/make-folder.js";
import { replaceFile } from "@curlew/gateway/system/replace-file.js";
import { findChanges } from "@curlew/wire/descriptors/find-changes.js";
import { isNewer, newestSpoken } from "../../config/client-version.js";
import type { LoadedSettings } from "../../config/load.js";
import type { Output } from "../../terminal/command-machine.js";
import { listed } from "./check-fields.js";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.js";
import { askForSdk, registryOf } from "./newest-sdk.js";

/** Has calls claim to be npm's newest SDK, by the owner's overlay, if that sends all that Curlew sends in the same form. */
export async function updateProfile({ settings, overlay }: LoadedSettings, stderr: Output): Promise<Finding> {
  try {
    const registry = registryOf(settings.machine);
    stderr.write(`Asking ${registry.origin} for the newest @cursor/sdk; nothing of it is run.\n`);
    const { version, readBundle } = await askForSdk(registry, createNetwork(settings));
    const known = newestSpoken(settings.profile).version;
    if (!isNewer(version, known)) return ok("update", `The newest is ${version}; Curlew already knows ${known}.`);
    const { sent } = findChanges(await readBundle()).changed;
    if (sent.length > 0)
      return warn("update", `${version} is not taken, because it changes what Curlew sends: ${listed(sent)}.`);
    const day = new Date().toISOString().slice(0, 10);
    const sdk = { version, seen: day, source: "npm; all that Curlew sends has the same form in it" };
    const changes = mergeByKey(overlay?.changes ?? {}, { updated: day, agentClient: "sdk", clients: { sdk } });
    const path = overlayPath(settings.home);
    applyOverlay({ path, changes });
    makeFolder(settings.home);
    replaceFile(path, `${JSON.stringify(changes, null, 2)}\n`);
    return ok("update", `${version} sends all that Curlew sends in the same form, and is now in ${path}.`);
  } catch (thrown) {
    return fail("update", `The profile is unchanged: ${reasonOf(thrown)}`, "npm view @cursor/sdk");
  }
}
