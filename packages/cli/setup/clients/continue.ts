import { join } from "node:path";
import { type Client, chosenModel, keyFor, otherModels, type SetupModel, type Target } from "../client.js";
import type { Format } from "../formats/format.js";
import { yaml } from "../formats/yaml.js";
import { listItems, plainObject, unlessSet, type Wanted } from "../merge.js";

/** Without this file, cn begins with a question for an Anthropic key. Only its existence counts. */
const marker: Format = { name: "text", parse: () => ({}), edit: (text) => text, print: () => "" };

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
    wanted,
    beside: { ".onboarding_complete": { format: marker, wanted: () => ({}) } },
  },
  savings: [".onboarding_complete: otherwise cn asks for an Anthropic key before it starts."],
  notes: () => ["Start cn. /model switches between the models."],
  launch: (target, { folder }) => ({
    args: ["--config", join(folder, "config.yaml")],
    files: { "config.yaml": yaml.print(plainObject(wanted(target))) },
  }),
};

function wanted(target: Target): Wanted {
  const entry = ({ id, canSeeImages }: SetupModel) => ({
    // cn shows what follows the slash.
    name: `curlew/${id}`,
    provider: "openai",
    model: id,
    apiBase: `${target.url}/v1/`,
    apiKey: keyFor(target, "continue"),
    roles: ["chat"],
    capabilities: ["tool_use", ...(canSeeImages ? ["image_input"] : [])],
  });
  return {
    name: unlessSet("Curlew"),
    version: unlessSet("1.0.0"),
    schema: unlessSet("v1"),
    // cn starts with the first.
    models: listItems("name", [chosenModel(target), ...otherModels(target)].map(entry)),
  };
}
