import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { readPrivateFile, writePrivateFile } from "../auth/stores/private-file.js";
import type { GatewayAddress } from "./find-gateway.js";
import type { Runtime } from "./runtime.js";

const START_MS = 30_000;

export interface SpawnedGateway extends GatewayAddress {
  close(): Promise<void>;
}

/**
 * Starts a gateway on a free port that requires our key and ends with this OpenCode.
 *
 * @throws {Error} The gateway could not start; the message is its own.
 */
export async function spawnGateway(script: string, key: string, { command, env }: Runtime): Promise<SpawnedGateway> {
  const child = spawn(command, [script], {
    env: { ...env, CURLEW_KEY: key },
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  const ended = once(child, "close").catch(() => undefined);
  child.stdin.on("error", () => {}); // the process may have ended by itself
  const close = async () => {
    child.stdin.end();
    await ended;
  };
  try {
    const line = await Promise.race([
      once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(START_MS) }).then(String),
      once(child, "error").then(([failure]) => Promise.reject(failure)),
      ended.then(() => '{"error":"Curlew ended without a word. Try: curlew doctor"}'),
    ]);
    const { url, error }: { url?: string; error?: string } = JSON.parse(line);
    if (url === undefined) throw new Error(error);
    // OpenCode must be able to end while the gateway runs: the closed pipe ends it too.
    child.unref();
    return { url, key, close };
  } catch (failure) {
    child.kill();
    throw failure;
  }
}

/** The key of such a gateway. It is the same at every start: conversations belong to the key that they were begun with. */
export function ownKey(file: string): string {
  const kept = readPrivateFile(file, process.platform);
  // A key that others may have read is replaced.
  if (kept !== undefined && !kept.isOpen && kept.text.trim() !== "") return kept.text.trim();
  const key = randomBytes(24).toString("base64url");
  writePrivateFile(file, `${key}\n`);
  return key;
}
