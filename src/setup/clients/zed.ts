import { join } from "node:path";
import type { Client } from "../client.js";
import { json } from "../formats/json.js";
import { ListItem } from "../merge.js";

export const zed: Client = {
  name: "zed",
  title: "Zed",
  command: "zed",
  isProven: false,
  file: {
    paths({ env, platform, homeDirectory }) {
      const roaming = env.APPDATA || join(homeDirectory, "AppData", "Roaming");
      const config = (platform === "linux" && env.XDG_CONFIG_HOME) || join(homeDirectory, ".config");
      return [platform === "win32" ? join(roaming, "Zed", "settings.json") : join(config, "zed", "settings.json")];
    },
    format: json,
    wanted: ({ url, model, contextTokens }) => ({
      language_models: {
        openai_compatible: {
          Curlew: {
            api_url: `${url}/v1`,
            available_models: new ListItem("name", {
              name: model,
              display_name: `Curlew: ${model}`,
              max_tokens: contextTokens,
              max_output_tokens: 32_000,
              capabilities: { tools: true, images: true, parallel_tool_calls: true, prompt_cache_key: false },
            }),
          },
        },
      },
    }),
  },
  notes: ({ key }) => [
    // Zed keeps keys in the system's keychain, never in this file.
    `Zed asks for the key in its agent settings, or takes it from CURLEW_API_KEY${key ? "" : "; anything will do"}.`,
    "Choose the model in the agent panel.",
  ],
};
