import { join } from "node:path";
import { type Client, chosenModel, keyFor, otherModels, type SetupModel, type Target } from "../client.js";
import { yaml } from "../formats/yaml.js";
import { listItems, plainObject, type Wanted } from "../merge.js";

const defaults = { name: "Curlew", version: "1.0.0", schema: "v1" };

export const continueDev: Client = {
  name: "continue",
  aliases: ["cn"],
  title: "Continue",
  command: "cn",
  install: "npm install -g @continuedev/cli",
  isProven: true,
  file: {
    paths: ({ env, homeDirectory }) => [
      join(env.CONTINUE_GLOBAL_DIR || join(homeDirectory, ".continue"), "config.yaml"),
    ],
    format: yaml,
    defaults,
    wanted,
  },
  notes: () => ["Start cn. /model switches between the models."],
  launch: (target, { folder }) => ({
    args: ["--config", join(folder, "config.yaml")],
    files: { "config.yaml": yaml.print({ ...defaults, ...plainObject(wanted(target)) }) },
  }),
};

function wanted(target: Target): Wanted {
  const entry = (name: string, { id, canSeeImages }: SetupModel) => ({
    name,
    provider: "openai",
    model: id,
    apiBase: `${target.url}/v1/`,
    apiKey: keyFor(target, "continue"),
    roles: ["chat"],
    capabilities: ["tool_use", ...(canSeeImages ? ["image_input"] : [])],
  });
  const others = otherModels(target).map((model) => entry(`Curlew: ${model.id}`, model));
  return { models: listItems("name", [entry("Curlew", chosenModel(target)), ...others]) };
}
