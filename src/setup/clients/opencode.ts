import { join } from "node:path";
import { type Client, keyFor, type SetupModel, type Target } from "../client.js";
import { editedText } from "../edited-text.js";
import { json } from "../formats/json.js";
import { type Wanted, Whole } from "../merge.js";

export const opencode: Client = {
  name: "opencode",
  title: "OpenCode",
  command: "opencode",
  install: "npm install -g opencode-ai",
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
  const { url, model, smallModel, models } = target;
  return {
    provider: {
      curlew: {
        npm: "@ai-sdk/openai-compatible",
        name: "Curlew",
        options: { baseURL: `${url}/v1`, apiKey: keyFor(target) },
        models: new Whole(Object.fromEntries(models.map((each) => [each.id, described(each)]))),
      },
    },
    model: `curlew/${model}`,
    small_model: `curlew/${smallModel}`,
  };
}

function described({ name, contextTokens: context, canReason: reasoning, canSeeImages: attachment }: SetupModel) {
  return {
    name,
    tool_call: true,
    reasoning,
    attachment,
    modalities: { input: attachment ? ["text", "image", "pdf"] : ["text"], output: ["text"] },
    limit: { context, output: 32_000 },
  };
}
