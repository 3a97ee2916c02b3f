import { join } from "node:path";
import { type Client, keyFor, type Target } from "../client.js";
import { json } from "../formats/json.js";

export const qwen: Client = {
  name: "qwen",
  aliases: ["qwen-code"],
  title: "Qwen Code",
  command: "qwen",
  install: "npm install -g @qwen-code/qwen-code",
  isProven: true,
  file: {
    paths: ({ homeDirectory }) => [join(homeDirectory, ".qwen", "settings.json")],
    format: json,
    wanted: (target) => ({
      env: variables(target),
      security: { auth: { selectedType: "openai" } },
      model: { name: target.model },
      // Otherwise each conversation costs one more turn at Cursor, in which the model looks for things to remember.
      memory: { enableManagedAutoMemory: false },
    }),
  },
  notes: () => [
    "Its managed auto-memory is off, because it would cost another turn in every conversation.",
    "Start qwen. Variables of the same names in your shell or in a .env file win over the file.",
  ],
  launch: (target) => ({
    args: ["--auth-type", "openai", "--model", target.model],
    env: variables(target),
  }),
};

function variables(target: Target): Record<string, string> {
  return { OPENAI_BASE_URL: `${target.url}/v1`, OPENAI_API_KEY: keyFor(target), OPENAI_MODEL: target.model };
}
