import { join } from "node:path";
import type { Price } from "@curlew/meter/prices/prices.js";
import { type Client, type ClientFile, keyFor, OUTPUT_TOKENS, type SetupModel, type Target } from "../client.js";
import { editedText } from "../edited-text.js";
import { json } from "../formats/json.js";
import { listText, unlessSet, type Wanted, whole } from "../merge.js";

const file: ClientFile = {
  paths({ env, homeDirectory }) {
    const folder = join(env.XDG_CONFIG_HOME || join(homeDirectory, ".config"), "opencode");
    return ["opencode.json", "opencode.jsonc"].map((name) => join(folder, name));
  },
  format: json,
  wanted,
  modelAt: ["model"],
};

export const opencode: Client = {
  name: "opencode",
  title: "OpenCode",
  command: "opencode",
  install: "npm install -g opencode-ai",
  isProven: true,
  file,
  savings: ["cost: list prices where they are known, so that OpenCode shows what a session costs."],
  notes: ({ model }) => [`Start opencode: its model is curlew/${model}.`],
  withPlugin({ href }) {
    // Replaces the line of a Curlew in another place.
    const line = listText(href, (text) => /\/curlew[^/]*\/dist\/opencode\/?$/.test(text));
    return {
      ...opencode,
      // OpenCode 1 reads the first, OpenCode 2 the second.
      file: { ...file, wanted: () => ({ plugin: line, plugins: line }) },
      notes: () => ["Start opencode: its models are cursor/auto and those of your account."],
    };
  },
  // Keeps the user's own value of that variable.
  launch: (target, { env }) => ({
    env: { OPENCODE_CONFIG_CONTENT: editedText(env.OPENCODE_CONFIG_CONTENT ?? "", json, wanted(target)) },
  }),
};

function wanted(target: Target): Wanted {
  const { url, model, smallModel, models } = target;
  return {
    $schema: unlessSet("https://opencode.ai/config.json"),
    provider: {
      curlew: {
        npm: "@ai-sdk/openai-compatible",
        name: "Curlew",
        options: { baseURL: `${url}/v1`, apiKey: keyFor(target, "opencode") },
        models: whole(Object.fromEntries(models.map((each) => [each.id, described(each)]))),
      },
    },
    model: `curlew/${model}`,
    small_model: `curlew/${smallModel}`,
  };
}

function described({ name, contextTokens: context, canReason, canSeeImages: attachment, price }: SetupModel) {
  return {
    name,
    tool_call: true,
    reasoning: canReason,
    attachment,
    modalities: { input: attachment ? ["text", "image", "pdf"] : ["text"], output: ["text"] },
    limit: { context, output: OUTPUT_TOKENS },
    ...(price !== undefined && { cost: costOf(price) }),
  };
}

function costOf({ input, output, cacheRead = input, cacheWrite = input }: Price) {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}
