import { join } from "node:path";
import { type Client, keyFor } from "../client.js";
import { yaml } from "../formats/yaml.js";

export const aider: Client = {
  name: "aider",
  title: "Aider",
  command: "aider",
  install: "python -m pip install aider-install && aider-install",
  isProven: false,
  file: {
    paths: ({ homeDirectory }) => [join(homeDirectory, ".aider.conf.yml")],
    format: yaml,
    wanted: (target) => ({
      model: `openai/${target.model}`,
      "weak-model": `openai/${target.smallModel}`,
      "openai-api-base": `${target.url}/v1`,
      "openai-api-key": keyFor(target),
    }),
  },
  notes: () => ["Start aider. A .aider.conf.yml in your project wins over the one in your home folder."],
  launch: (target) => ({
    env: {
      AIDER_MODEL: `openai/${target.model}`,
      AIDER_WEAK_MODEL: `openai/${target.smallModel}`,
      AIDER_OPENAI_API_BASE: `${target.url}/v1`,
      AIDER_OPENAI_API_KEY: keyFor(target),
    },
  }),
};
