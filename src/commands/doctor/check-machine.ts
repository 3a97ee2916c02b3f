import { existsSync, statSync } from "node:fs";
import { runningGateway } from "../../app/running-gateway.js";
import { localUrl } from "../../app/start/listen.js";
import type { LoadedSettings } from "../../config/load.js";
import type { Settings } from "../../config/settings.js";
import { isNewEnough, oldestNode } from "../../version.js";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.js";

const OTHERS_MAY_WRITE = 0o022;

export function checkNode(version: string): Finding {
  if (isNewEnough(version)) return ok("node", version);
  return fail("node", `${version} is older than ${oldestNode}, which Curlew needs.`, "nvm install --lts");
}

/** Invalid values never come this far: they are refused when the settings are loaded. */
export function checkSettings({ configFile, origins }: LoadedSettings, platform: NodeJS.Platform): Finding {
  const count = Object.keys(origins).length;
  if (!existsSync(configFile))
    return ok(
      "settings",
      count === 0 ? "All defaults; no settings file." : `No settings file; ${count} set elsewhere.`,
    );
  if (othersMayWrite(configFile, platform)) {
    const why = `Other users can write ${configFile}, and could send your token elsewhere by it.`;
    return fail("settings", why, `chmod 600 ${quoted(configFile)}`);
  }
  return ok("settings", `${configFile}; ${count} set, the rest are defaults.`);
}

/** The mode says nothing on Windows, which has other permissions. */
export function othersMayWrite(path: string, platform: NodeJS.Platform): boolean {
  return platform !== "win32" && (statSync(path).mode & OTHERS_MAY_WRITE) !== 0;
}

/** Checks whether a gateway can open its port, or has already opened it. */
export async function checkPort({ host, port }: Pick<Settings, "host" | "port">, version: string): Promise<Finding> {
  const { listen } = await import("../../app/start/listen.js");
  try {
    const listener = await listen((_, response) => response.destroy(), { host, port });
    await listener.drain();
    return ok("port", `${port} on ${host} is free.`);
  } catch (thrown) {
    const running = await runningGateway(localUrl(host, port));
    if (running === undefined) return fail("port", reasonOf(thrown), "curlew serve --port 0");
    if (running.version === version) return ok("port", `A gateway runs at ${port} on ${host} (${running.backend}).`);
    return warn("port", `Curlew ${running.version} runs at ${port}, this is ${version}.`, "curlew serve");
  }
}

export function quoted(path: string): string {
  return /^[\w./~:\\-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
