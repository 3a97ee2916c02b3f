import { join } from "node:path";
import type { Client, Target } from "../client.js";
import { toml } from "../formats/toml.js";
import { assignment } from "../shells.js";

export const codex: Client = {
  name: "codex",
  title: "Codex",
  command: "codex",
  install: "npm install -g @openai/codex",
  isProven: true,
  file: {
    paths: ({ env, homeDirectory }) => [join(env.CODEX_HOME || join(homeDirectory, ".codex"), "config.toml")],
    format: toml,
    wanted: (target) => ({
      model: target.model,
      model_provider: "curlew",
      model_providers: { curlew: provider(target) },
    }),
  },
  notes: ({ key }, shell = "posix") => [
    ...(key === undefined
      ? []
      : [`Codex reads the key from the environment: ${assignment(shell, "CURLEW_KEY", "YOUR_KEY")}`]),
    "Start codex.",
  ],
  launch(target) {
    const settings = Object.entries(provider(target)).map(([name, value]) => [`model_providers.curlew.${name}`, value]);
    const all = [["model", target.model], ["model_provider", "curlew"], ...settings];
    return {
      args: all.flatMap(([name, value]) => ["--config", `${name}=${JSON.stringify(value)}`]),
      ...(target.key !== undefined && { env: { CURLEW_KEY: target.key } }),
    };
  },
};

function provider({ url, key }: Target) {
  const named = { name: "Curlew", base_url: `${url}/v1`, wire_api: "responses" };
  // Without `env_key` Codex sends no key; with it, Codex does not start unless the variable is set.
  return key === undefined ? named : { ...named, env_key: "CURLEW_KEY" };
}
