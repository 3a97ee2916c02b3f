import { join } from "node:path";
import { type Client, keyFor } from "../client.js";
import { json } from "../formats/json.js";
import { ListItem } from "../merge.js";

export const droid: Client = {
  name: "droid",
  aliases: ["factory", "factory-droid"],
  title: "Factory Droid",
  command: "droid",
  isProven: false,
  file: {
    paths: ({ homeDirectory }) => [join(homeDirectory, ".factory", "settings.json")],
    format: json,
    wanted: (target) => ({
      customModels: new ListItem("displayName", {
        model: target.model,
        displayName: "Curlew",
        baseUrl: `${target.url}/v1`,
        apiKey: keyFor(target),
        provider: "generic-chat-completion-api",
        maxOutputTokens: 32_000,
      }),
    }),
  },
  notes: () => ["Start droid and choose Curlew by /model."],
};
