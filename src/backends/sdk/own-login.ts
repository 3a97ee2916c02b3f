import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { cursorLocations } from "../../auth/import/locations.js";
import type { OwnLoginParts, OwnLoginReport } from "../backend-parts.js";
import { findNode } from "./find-node.js";
import { findSdk, versionOfSdk } from "./find-sdk.js";

export interface SdkLoginSettings {
  readonly sdkPath: string | undefined;
  /** The Node to run it; without one it is found. */
  readonly sdkNode?: string | undefined;
}

export interface SdkLocation {
  readonly node: string;
  /** The URL of the SDK's module. */
  readonly module: string;
}

type SdkParts = Omit<OwnLoginParts<SdkLoginSettings>, "clock">;

/** Whether Cursor's SDK is installed and has a login of its own. */
export async function isLoggedIn(parts: SdkParts): Promise<boolean> {
  if (!existsSync(cursorLocations(parts.machine).sdkFile)) return false;
  return findInstalled(parts).then(
    () => true,
    () => false,
  );
}

/** Reports which SDK there is and which Node runs it. The SDK does not report its login before it is used. */
export async function report(parts: SdkParts): Promise<OwnLoginReport> {
  try {
    const { module, node } = await findInstalled(parts);
    return { isUsable: true, what: `${module}, run by ${node}` };
  } catch (why) {
    return { isUsable: false, why, fix: "npm install @cursor/sdk" };
  }
}

/** The version of the SDK on this machine, as it names itself to Cursor. Nothing is run. */
export async function installedVersion({ settings: { sdkPath } }: SdkParts): Promise<string | undefined> {
  try {
    const version = versionOfSdk(findSdk(sdkPath, searchedFolders()));
    return version && `sdk-${version}`;
  } catch {
    return undefined;
  }
}

/**
 * Finds the SDK that the user installed, and a Node that is new enough for it.
 * @throws GatewayError `server_error` when one of them is missing, with what to do.
 */
export async function findInstalled({ settings: { sdkPath, sdkNode }, machine }: SdkParts): Promise<SdkLocation> {
  const module = findSdk(sdkPath, searchedFolders());
  return { module, node: await findNode(sdkNode, machine) };
}

function searchedFolders(): string[] {
  return [process.cwd(), dirname(fileURLToPath(import.meta.url))];
}
