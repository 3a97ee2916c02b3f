import manifest from "../../../package.json" with { type: "json" };

export const version: string = manifest.version;

/** The oldest Node that Curlew runs on, such as `20.19`. */
export const oldestNode: string = manifest.engines.node.replace(/^\D+/, "");

export function isNewEnough(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, "").split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
