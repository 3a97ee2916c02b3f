import { execFile } from "node:child_process";
import { isNewEnough, oldestNode } from "../version.js";

/** A program that runs our JavaScript in a process of its own. */
export interface Runtime {
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Node if there is one, since Curlew is made for it; otherwise the Bun inside OpenCode.
 *
 * @throws {Error} There is neither.
 */
export async function findRuntime(env: Runtime["env"]): Promise<Runtime> {
  const found = await nodeVersion(env);
  if (found !== undefined && isNewEnough(found)) return { command: "node", env };
  if (process.versions.bun !== undefined) return { command: process.execPath, env: { ...env, BUN_BE_BUN: "1" } };
  const why = found === undefined ? "No node was found on the PATH." : `The node on the PATH is ${found.trim()}.`;
  throw new Error(`${why} Curlew needs Node ${oldestNode} or newer: install it, then start OpenCode again.`);
}

function nodeVersion(env: Runtime["env"]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile("node", ["--version"], { env, windowsHide: true, timeout: 10_000 }, (failure, stdout) =>
      resolve(failure === null ? stdout : undefined),
    );
  });
}
