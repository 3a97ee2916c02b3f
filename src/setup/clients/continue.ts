import { join } from "node:path";
import { type Client, keyFor, type Target } from "../client.js";
import { yaml } from "../formats/yaml.js";
import { ListItem, plainObject, type Wanted } from "../merge.js";

const defaults = { name: "Curlew", version: "1.0.0", schema: "v1" };

export const continueDev: Client = {
  name: "continue",
  aliases: ["cn"],
  title: "Continue",
  command: "cn",
  isProven: true,
  file: {
    paths: ({ env, homeDirectory }) => [
      join(env.CONTINUE_GLOBAL_DIR || join(homeDirectory, ".continue"), "config.yaml"),
    ],
    format: yaml,
    defaults,
    wanted,
  },
  notes: () => ["Start cn. With other models in the file, choose Curlew by /model."],
  launch: (target, { folder }) => ({
    args: ["--config", join(folder, "config.yaml")],
    files: { "config.yaml": yaml.print({ ...defaults, ...plainObject(wanted(target)) }) },
  }),
};

function wanted(target: Target): Wanted {
  return {
    models: new ListItem("name", {
      name: "Curlew",
      provider: "openai",
      model: target.model,
      apiBase: `${target.url}/v1/`,
      apiKey: keyFor(target),
      roles: ["chat"],
      capabilities: ["tool_use"],
    }),
  };
}
