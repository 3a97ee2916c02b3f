import { loginHook } from "./login.js";
import { discoverModels, type OfferedModel } from "./models.js";
import { besidePlugin, NO_KEY, NOWHERE, PluginGateway, PROVIDER, PROVIDER_NAME } from "./plugin-gateway.js";
import type { Hooks, ModelConfig, ProviderConfig } from "./version-1-api.js";

const FIX = "Run `opencode auth login -p cursor`, or see `curlew doctor`, then start OpenCode again.";
/** The variants that OpenCode 1 gives every model that thinks, whether it has them or not. */
const usualVariants = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** What OpenCode 1 calls: a provider `cursor` among its settings, and a way to sign in. */
export async function server(): Promise<Hooks> {
  const gateway = new PluginGateway();
  return {
    async config(config) {
      config.provider ??= {};
      const own = config.provider[PROVIDER] ?? {};
      const offered = await offer(gateway);
      config.provider[PROVIDER] = {
        ...offered,
        ...own,
        options: { ...offered.options, ...own.options },
        models: { ...offered.models, ...own.models },
      };
    },
    auth: loginHook({
      provider: PROVIDER,
      main: besidePlugin("../main.js"),
      findRuntime: () => gateway.runtime(),
    }),
    dispose: () => gateway.close(),
  };
}

async function offer(gateway: PluginGateway): Promise<ProviderConfig> {
  const provider = { npm: "@ai-sdk/openai-compatible", name: PROVIDER_NAME };
  try {
    const address = await gateway.find();
    const options = { baseURL: `${address.url}/v1`, apiKey: address.key ?? NO_KEY };
    const models = await discoverModels(address);
    return { ...provider, options, models: Object.fromEntries(models.map((model) => [model.id, describe(model)])) };
  } catch (thrown) {
    // OpenCode does not show a plugin's failure, but it shows what a model answers.
    const message = `${thrown instanceof Error ? thrown.message : thrown}\n${FIX}`;
    const fetch = async () => Response.json({ error: { message } }, { status: 401 });
    const options = { baseURL: NOWHERE, apiKey: NO_KEY, fetch };
    return { ...provider, options, models: { auto: { name: "Auto (Curlew is not ready)" } } };
  }
}

export function describe({ name, reads, limit, reasoning, attachment, efforts }: OfferedModel): ModelConfig {
  const missing = usualVariants.filter((variant) => !efforts.includes(variant));
  return {
    name,
    tool_call: true,
    reasoning,
    attachment,
    modalities: { input: reads, output: ["text"] },
    limit,
    variants: {
      ...Object.fromEntries(missing.map((variant) => [variant, { disabled: true as const }])),
      ...Object.fromEntries(efforts.map((effort) => [effort, { reasoningEffort: effort }])),
    },
  };
}
