import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { cursorLocations } from "../../auth/import/locations.js";
import type { OwnLoginParts, OwnLoginReport } from "../backend-parts.js";
import { findNode } from "./find-node.js";
import { findSdk } from "./find-sdk.js";

export interface SdkLoginSettings {
  readonly sdkPath: string | undefined;
  readonly sdkNode: string | undefined;
}

export interface SdkLocation {
  readonly node: string;
  /** URL of the SDK's module. */
  readonly module: string;
}

type SdkParts = Omit<OwnLoginParts<SdkLoginSettings>, "clock">;

/** Whether Cursor's SDK is installed for us, and logged in by itself. */
export async function isLoggedIn(parts: SdkParts): Promise<boolean> {
  if (!existsSync(cursorLocations(parts.machine).sdkFile)) return false;
  return findInstalled(parts).then(
    () => true,
    () => false,
  );
}

/** Which SDK there is, and what runs it. Of its login it says nothing before it is used. */
export async function report(parts: SdkParts): Promise<OwnLoginReport> {
  try {
    const { module, node } = await findInstalled(parts);
    return { isUsable: true, what: `${module}, run by ${node}` };
  } catch (why) {
    return { isUsable: false, why, fix: "npm install @cursor/sdk" };
  }
}

/** The SDK that the user installed, and a Node that is new enough for it. Throws, with what to do, where one of them is missing. */
export async function findInstalled({ settings: { sdkPath, sdkNode }, machine }: SdkParts): Promise<SdkLocation> {
  const folders = [process.cwd(), dirname(fileURLToPath(import.meta.url))];
  const module = findSdk(sdkPath, folders);
  return { module, node: await findNode(sdkNode, machine) };
}
