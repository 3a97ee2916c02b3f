import { join } from "node:path";
import { type Client, keyFor, type Target } from "../client.js";
import { json } from "../formats/json.js";
import { plainObject, unlessSet, type Wanted } from "../merge.js";

export const cline: Client = {
  name: "cline",
  title: "Cline",
  command: "cline",
  install: "npm install -g cline",
  isProven: true,
  file: {
    paths({ env, homeDirectory }) {
      const data = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(homeDirectory, ".cline"), "data");
      return [env.CLINE_PROVIDER_SETTINGS_PATH || join(data, "settings", "providers.json")];
    },
    format: json,
    wanted,
    modelAt: ["providers", "openai-compatible", "settings", "model"],
  },
  notes: () => ["Start cline. The VS Code extension has separate settings: choose OpenAI Compatible there."],
  launch: (target, { folder }) => ({
    env: { CLINE_PROVIDER_SETTINGS_PATH: join(folder, "providers.json") },
    files: { "providers.json": json.print(plainObject(wanted(target))) },
  }),
};

/** The file that `cline auth openai-compatible` writes. */
function wanted(target: Target): Wanted {
  const provider = "openai-compatible";
  return {
    version: unlessSet(1),
    modes: unlessSet({}),
    lastUsedProvider: provider,
    providers: {
      [provider]: {
        settings: { provider, apiKey: keyFor(target, "cline"), model: target.model, baseUrl: `${target.url}/v1` },
        // Cline does not read an entry without a time; which one makes no difference.
        updatedAt: "2026-01-01T00:00:00.000Z",
        tokenSource: "manual",
      },
    },
  };
}
