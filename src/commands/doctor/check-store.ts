import { existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { type StoreSettings, storeOptions } from "../../app/prepare/own-files.js";
import { openStore } from "../../store/index.js";
import { quoted } from "./check-machine.js";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.js";

const FOR_OTHERS = 0o077;
const MEBIBYTE = 1_048_576;
const SCARCE_BYTES = 64 * MEBIBYTE;
/** No gateway stores anything under this name. */
const DOCTOR = "doctor";

/** Opens the store as the gateway does, and writes to it. */
export async function checkStore(settings: StoreSettings, platform: NodeJS.Platform): Promise<Finding> {
  const options = storeOptions(settings);
  const { folder } = options;
  const open = platform === "win32" ? undefined : openToOthers(folder);
  if (open !== undefined) return fail("store", `Other users can read ${open}.`, `chmod -R go= ${quoted(folder)}`);
  const problems: Error[] = [];
  try {
    const { store, warnings } = await openStore({ ...options, onProblem: (problem) => problems.push(problem) });
    try {
      store.putNote(DOCTOR, DOCTOR, "checked");
      await store.flush();
      const [warning] = warnings;
      // Without a usable folder, the store is in memory and warns about it.
      if (warning?.includes("in memory only")) return fail("store", warning, `chmod -R u+rwX ${quoted(folder)}`);
      if (warning !== undefined) return warn("store", warning);
      if (problems[0] !== undefined) return fail("store", reasonOf(problems[0]), `df -h ${quoted(folder)}`);
      const { checkpoints, bytes } = store.stats();
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < SCARCE_BYTES) {
        const why = `Less than ${SCARCE_BYTES / MEBIBYTE} MiB are free in ${folder}.`;
        return warn("store", why, `df -h ${quoted(folder)}`);
      }
      const size = (bytes / MEBIBYTE).toFixed(1);
      return ok("store", `${folder}: ${checkpoints} checkpoints, ${size} MiB, writable.`);
    } finally {
      await store.close();
    }
  } catch (thrown) {
    return fail("store", `${folder} cannot be used: ${reasonOf(thrown)}`, `chmod -R u+rwX ${quoted(folder)}`);
  }
}

function openToOthers(folder: string): string | undefined {
  return [folder, join(folder, "data.mdb")].find(
    (path) => existsSync(path) && (statSync(path).mode & FOR_OTHERS) !== 0,
  );
}
