import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSettings } from "../config/load.js";
import { thisMachine } from "../config/machine.js";
import { type GatewayAddress, isUsable } from "./find-gateway.js";
import { findRuntime, type Runtime } from "./runtime.js";
import { ownKey, type SpawnedGateway, spawnGateway } from "./spawn-gateway.js";

export const PROVIDER = "cursor";
export const PROVIDER_NAME = "Cursor (Curlew)";
/** Clients want a key even if the gateway has none. */
export const NO_KEY = "none";
/** Nothing ever listens there. */
export const NOWHERE = "http://127.0.0.1:9/v1";

/** The gateway of one plugin: one that already runs, or one that is started for it. */
export class PluginGateway {
  #spawned: SpawnedGateway | undefined;

  /** @throws {Error} There is none and none can be started; the message says why. */
  async find(): Promise<GatewayAddress> {
    const { settings, configFile } = loadSettings();
    const { port, key } = settings;
    const running = { url: `http://127.0.0.1:${port}`, key };
    if (await isUsable(running)) return running;
    const ownKeyFile = join(dirname(configFile), "opencode-key");
    this.#spawned = await spawnGateway(
      besidePlugin("../chunks/gateway-child.js"),
      key ?? ownKey(ownKeyFile),
      await this.runtime(),
    );
    return this.#spawned;
  }

  runtime(): Promise<Runtime> {
    return findRuntime(thisMachine().env);
  }

  /** Ends the gateway that was started here, if there is one. */
  async close(): Promise<void> {
    await this.#spawned?.close();
    this.#spawned = undefined;
  }
}

/** A file of the package, from the folder of the built plugin (`dist/opencode`). */
export function besidePlugin(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
