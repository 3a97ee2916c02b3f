import { join } from "node:path";
import { type Client, keyFor, type Target } from "../client.js";
import { editedText } from "../edited-text.js";
import { json } from "../formats/json.js";
import type { Wanted } from "../merge.js";

export const opencode: Client = {
  name: "opencode",
  title: "OpenCode",
  command: "opencode",
  isProven: true,
  file: {
    paths({ env, homeDirectory }) {
      const folder = join(env.XDG_CONFIG_HOME || join(homeDirectory, ".config"), "opencode");
      return ["opencode.json", "opencode.jsonc"].map((name) => join(folder, name));
    },
    format: json,
    defaults: { $schema: "https://opencode.ai/config.json" },
    wanted,
  },
  notes: ({ model }) => [`Start opencode: its model is curlew/${model}.`],
  // The user's own value of that variable still counts.
  launch: (target, { env }) => ({
    env: { OPENCODE_CONFIG_CONTENT: editedText(env.OPENCODE_CONFIG_CONTENT ?? "", json, { wanted: wanted(target) }) },
  }),
};

function wanted(target: Target): Wanted {
  const { url, model, contextTokens: context } = target;
  return {
    provider: {
      curlew: {
        npm: "@ai-sdk/openai-compatible",
        name: "Curlew",
        options: { baseURL: `${url}/v1`, apiKey: keyFor(target) },
        models: { [model]: { tool_call: true, limit: { context, output: 32_000 } } },
      },
    },
    model: `curlew/${model}`,
    small_model: `curlew/${model}`,
  };
}
