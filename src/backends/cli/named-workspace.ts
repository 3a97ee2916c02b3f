import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import { GatewayError } from "../../turn/error.js";

/**
 * Returns the real path of a folder that a request names. Links are resolved before any comparison.
 * @throws GatewayError `permission_denied` when the folder does not exist or may not be used, `invalid_request` when it is no absolute
 * path or no folder.
 */
export async function checkWorkspace(named: string, roots: readonly string[]): Promise<string> {
  if (roots.length === 0) {
    throw refused(
      "permission_denied",
      "Requests may not name a workspace here. The setting workspaceRoots lists the folders that they may use.",
    );
  }
  if (!isAbsolute(named)) throw refused("invalid_request", `The workspace ${named} is not an absolute path.`);
  const real = await realpath(named).catch(() => undefined);
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  // The error does not reveal whether a folder outside the roots exists.
  if (real === undefined || !realRoots.some((root) => root !== undefined && isBelow(real, root))) {
    throw refused(
      "permission_denied",
      `The workspace ${named} is not below a folder that the setting workspaceRoots allows, or does not exist.`,
    );
  }
  if (!(await stat(real)).isDirectory()) throw refused("invalid_request", `The workspace ${named} is not a folder.`);
  return real;
}

function isBelow(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function refused(code: "permission_denied" | "invalid_request", text: string): GatewayError {
  return new GatewayError(code, text, { param: "x-curlew-workspace" });
}
