import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "../../system/unless-missing.js";
import { isObject, type JsonObject } from "../../turn/read-json.js";
import { codeOf, reasonOf } from "../../turn/reason-of.js";
import builtIn from "./cursor.json" with { type: "json" };
import { type CursorProfile, day, profileSchema } from "./schema.js";

/** Far more than is written by hand. */
const MAX_BYTES = 256 * 1024;

export interface Overlay {
  readonly path: string;
  /** The day of its last change, according to the file. */
  readonly updated: string | undefined;
  readonly changes: JsonObject;
}

export interface LoadedProfile {
  readonly profile: CursorProfile;
  readonly overlay: Overlay | undefined;
}

/** A test checks it against the schema, so that a start need not. */
const inPackage = builtIn as CursorProfile;

/** An overlay that cannot be used. Each line names the file, the path in it and what must be there. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";
}

/** Defaults of settings. The documentation uses them too, without an overlay. */
export const builtInDefaults: Readonly<Record<"backendUrl" | "websiteUrl" | "clientVersion", string>> = {
  backendUrl: builtIn.hosts.api,
  websiteUrl: builtIn.hosts.website,
  clientVersion: builtIn.clients.cli.version,
};

/** The SDK with whose messages Curlew's are compared before a release. */
export const builtInSdk: CursorProfile["clients"]["sdk"] = builtIn.clients.sdk;

export function overlayPath(home: string): string {
  return join(home, "cursor.json");
}

/** The file in the package with the owner's changes merged into it: objects by key, anything else is replaced. @throws ProfileError */
export function loadProfile(home: string): LoadedProfile {
  const overlay = readOverlay(overlayPath(home));
  return { profile: overlay === undefined ? inPackage : applyOverlay(overlay), overlay };
}

/** @throws ProfileError when the changes cannot be used */
export function applyOverlay({ path, changes }: Pick<Overlay, "path" | "changes">): CursorProfile {
  const { updated: _, ...others } = changes;
  const result = profileSchema().safeParse(mergeByKey(builtIn, others));
  if (result.success) return result.data;
  throw new ProfileError(result.error.issues.map((issue) => `${path}: ${describeIssue(issue)}`).join("\n"));
}

function readOverlay(path: string): Overlay | undefined {
  const text = readBounded(path);
  if (text === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (thrown) {
    throw new ProfileError(`${path} is not valid JSON: ${reasonOf(thrown)}`, { cause: thrown });
  }
  if (!isObject(parsed)) throw new ProfileError(`${path} must hold one JSON object, such as {"families": {}}.`);
  const { updated } = parsed;
  const checked = day().optional().safeParse(updated);
  if (!checked.success) throw new ProfileError(`${path}: updated must be ${checked.error.issues[0]?.message}.`);
  return { path, updated: checked.data, changes: parsed };
}

function readBounded(path: string): string | undefined {
  try {
    return unlessMissing(() => {
      if (statSync(path).size > MAX_BYTES) throw new ProfileError(`${path} is larger than ${MAX_BYTES / 1024} KiB.`);
      return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
    });
  } catch (thrown) {
    if (thrown instanceof ProfileError) throw thrown;
    throw new ProfileError(`${path} cannot be read (${codeOf(thrown) || thrown}).`, { cause: thrown });
  }
}

/** The owner's new keys come first, so that a narrower family of theirs wins over a wider one of ours. */
export function mergeByKey(base: JsonObject, changes: JsonObject): JsonObject {
  const merged = new Map<string, unknown>();
  for (const [key, value] of Object.entries(changes)) if (!Object.hasOwn(base, key)) merged.set(key, value);
  for (const [key, value] of Object.entries(base)) {
    const change = Object.hasOwn(changes, key) ? changes[key] : undefined;
    if (change === undefined) merged.set(key, value);
    else merged.set(key, isObject(value) && isObject(change) ? mergeByKey(value, change) : change);
  }
  return Object.fromEntries(merged);
}

function describeIssue({ path, message, ...issue }: { path: readonly PropertyKey[]; message: string; code?: string }) {
  const where = path.map(String).join(".");
  if ("keys" in issue && Array.isArray(issue.keys)) {
    return `${[...path, issue.keys[0]].map(String).join(".")} is not a known key.`;
  }
  return `${where || "it"} must be ${message}.`;
}
