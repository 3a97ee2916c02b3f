import { existsSync } from "node:fs";
import { cursorPlaces } from "../../auth/import/places.js";
import { locateSdk, type SdkLocation } from "../../backends/sdk/index.js";
import { thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";

/** Whether Cursor's SDK is installed for us, and logged in by itself. */
export async function isSdkLoggedIn(settings: Settings): Promise<boolean> {
  if (!existsSync(cursorPlaces(thisMachine()).sdkFile)) return false;
  return findInstalledSdk(settings).then(
    () => true,
    () => false,
  );
}

/** Throws, with what to do, where the SDK or a Node that is new enough for it is missing. */
export function findInstalledSdk({ sdkPath, sdkNode: node }: Settings): Promise<SdkLocation> {
  return locateSdk({ sdkPath, node, workingFolder: process.cwd(), environment: thisMachine().env });
}
