import { join } from "node:path";
import { type Client, keyFor, otherModels, type Target } from "../client.js";
import { json } from "../formats/json.js";
import { ListItems, type Wanted } from "../merge.js";

export const droid: Client = {
  name: "droid",
  aliases: ["factory", "factory-droid"],
  title: "Factory Droid",
  command: "droid",
  install: "curl -fsSL https://app.factory.ai/cli | sh",
  isProven: false,
  file: {
    paths: ({ homeDirectory }) => [join(homeDirectory, ".factory", "settings.json")],
    format: json,
    wanted,
  },
  notes: () => ["Start droid and choose Curlew by /model."],
};

function wanted(target: Target): Wanted {
  const entry = (displayName: string, model: string) => ({
    model,
    displayName,
    baseUrl: `${target.url}/v1`,
    apiKey: keyFor(target),
    provider: "generic-chat-completion-api",
    maxOutputTokens: 32_000,
  });
  const others = otherModels(target).map(({ id }) => entry(`Curlew: ${id}`, id));
  return { customModels: new ListItems("displayName", [entry("Curlew", target.model), ...others]) };
}
