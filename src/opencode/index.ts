import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSettings } from "../config/load.js";
import { thisMachine } from "../config/machine.js";
import { type GatewayAddress, isUsable } from "./find-gateway.js";
import { loginHook } from "./login.js";
import { discoverModels } from "./models.js";
import type { Hooks, ProviderConfig } from "./plugin-api.js";
import { findRuntime } from "./runtime.js";
import { ownKey, type SpawnedGateway, spawnGateway } from "./spawn-gateway.js";

const PROVIDER = "cursor";
const FIX = "Run `opencode auth login -p cursor`, or see `curlew doctor`, then start OpenCode again.";

/** OpenCode's plugin: a provider `cursor` with the account's models, on a gateway that already runs or is started here. */
// This is the only export: OpenCode takes every export for a plugin.
export async function cursorPlugin(): Promise<Hooks> {
  const { env } = thisMachine();
  const runtime = () => findRuntime(env);
  let spawned: SpawnedGateway | undefined;
  const findGateway = async (): Promise<GatewayAddress> => {
    const { settings, configFile } = loadSettings();
    const { port, key } = settings;
    const running = { url: `http://127.0.0.1:${port}`, key };
    if (await isUsable(running)) return running;
    const script = fileURLToPath(new URL("./chunks/gateway-child.js", import.meta.url));
    const ownKeyFile = join(dirname(configFile), "opencode-key");
    spawned = await spawnGateway(script, key ?? ownKey(ownKeyFile), await runtime());
    return spawned;
  };
  return {
    async config(config) {
      config.provider ??= {};
      const own = config.provider[PROVIDER] ?? {};
      const offered = await offer(findGateway);
      config.provider[PROVIDER] = {
        ...offered,
        ...own,
        options: { ...offered.options, ...own.options },
        models: { ...offered.models, ...own.models },
      };
    },
    auth: loginHook({
      provider: PROVIDER,
      main: fileURLToPath(new URL("./main.js", import.meta.url)),
      findRuntime: runtime,
    }),
    async dispose() {
      await spawned?.close();
    },
  };
}

async function offer(findGateway: () => Promise<GatewayAddress>): Promise<ProviderConfig> {
  const provider = { npm: "@ai-sdk/openai-compatible", name: "Cursor (Curlew)" };
  try {
    const gateway = await findGateway();
    const options = { baseURL: `${gateway.url}/v1`, apiKey: gateway.key ?? "none" };
    return { ...provider, options, models: await discoverModels(gateway) };
  } catch (thrown) {
    // OpenCode does not show a plugin's failure, but it shows what a model answers.
    const message = `${thrown instanceof Error ? thrown.message : thrown}\n${FIX}`;
    const fetch = async () => Response.json({ error: { message } }, { status: 401 });
    const options = { baseURL: "http://127.0.0.1:9/v1", apiKey: "none", fetch };
    return { ...provider, options, models: { auto: { name: "Auto (Curlew is not ready)" } } };
  }
}
