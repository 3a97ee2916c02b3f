import { join } from "node:path";
import type { Client, SetupModel, Target } from "../client.js";
import { json } from "../formats/json.js";
import type { Wanted } from "../merge.js";

export const zed: Client = {
  name: "zed",
  title: "Zed",
  command: "zed",
  install: "https://zed.dev/download",
  isProven: false,
  file: {
    paths({ env, platform, homeDirectory }) {
      const roaming = env.APPDATA || join(homeDirectory, "AppData", "Roaming");
      const config = (platform === "linux" && env.XDG_CONFIG_HOME) || join(homeDirectory, ".config");
      return [platform === "win32" ? join(roaming, "Zed", "settings.json") : join(config, "zed", "settings.json")];
    },
    format: json,
    wanted,
    modelAt: ["agent", "default_model", "model"],
    providerAt: ["agent", "default_model", "provider"],
  },
  notes: ({ key }) => [
    // Zed keeps keys in the system's keychain, never in this file.
    `Zed asks for the key in its agent settings, or takes it from CURLEW_API_KEY${key ? "" : "; curlew-zed will do"}.`,
    "The agent panel switches between the models.",
  ],
};

function wanted({ url, model, smallModel, models }: Target): Wanted {
  const named = (id: string) => ({ provider: "Curlew", model: id });
  return {
    language_models: {
      openai_compatible: { Curlew: { api_url: `${url}/v1`, available_models: models.map(described) } },
    },
    agent: {
      default_model: named(model),
      thread_summary_model: named(smallModel),
      commit_message_model: named(smallModel),
    },
  };
}

function described({ id, name, contextTokens, canSeeImages }: SetupModel) {
  return {
    name: id,
    display_name: `Curlew: ${name}`,
    max_tokens: contextTokens,
    max_output_tokens: 32_000,
    capabilities: { tools: true, images: canSeeImages, parallel_tool_calls: true, prompt_cache_key: false },
  };
}
