import { join } from "node:path";
import { type Client, keyFor, OUTPUT_TOKENS, type SetupModel, type Target } from "../client.js";
import { json } from "../formats/json.js";
import { yaml } from "../formats/yaml.js";
import type { Wanted } from "../merge.js";

export const pi: Client = {
  name: "pi",
  title: "pi",
  command: "pi",
  install: "npm install -g @earendil-works/pi-coding-agent",
  isProven: true,
  file: {
    paths: ({ env, homeDirectory }) => [
      join(env.PI_CODING_AGENT_DIR || join(homeDirectory, ".pi", "agent"), "models.json"),
    ],
    format: json,
    wanted: (target) => ({ providers: { curlew: piProvider(target) } }),
  },
  notes: ({ model }) => [`Start pi --provider curlew --model ${model}`],
  launch: (target, { folder }) => ({
    args: ["--extension", join(folder, "curlew.js"), "--provider", "curlew", "--model", target.model],
    // pi keeps a copy of each extension that it has read, so the key is not written there.
    env: { CURLEW_KEY: keyFor(target, "pi"), JITI_FS_CACHE: "false" },
    files: { "curlew.js": extension(target) },
  }),
};

/** omp began as pi, and wants nearly the same. */
export const omp: Client = {
  name: "omp",
  aliases: ["oh-my-pi"],
  title: "oh-my-pi",
  command: "omp",
  install: "https://omp.sh",
  isProven: false,
  file: {
    paths: ({ homeDirectory }) =>
      ["models.yml", "models.yaml"].map((name) => join(homeDirectory, ".omp", "agent", name)),
    format: yaml,
    wanted: (target) => ({ providers: { curlew: { ...piProvider(target), apiKey: keyFor(target, "omp") } } }),
  },
  notes: ({ model }) => [`Start omp --model curlew/${model}`],
};

function piProvider(target: Target): Wanted {
  return { ...endpoint(target), models: target.models.map(described) };
}

function endpoint(target: Target) {
  // pi reads a dollar sign as the beginning of a variable, and an exclamation mark as that of a command.
  const apiKey = keyFor(target, "pi").replaceAll("$", "$$$$").replace(/^!/, "$!");
  return { baseUrl: `${target.url}/v1`, api: "openai-completions", apiKey };
}

function described({ id, name, contextTokens: contextWindow, canReason: reasoning, canSeeImages }: SetupModel) {
  const input = canSeeImages ? ["text", "image"] : ["text"];
  return { id, name, reasoning, input, contextWindow, maxTokens: OUTPUT_TOKENS };
}

/** A provider for one run only; pi's settings and conversations stay where they are. */
function extension(target: Target): string {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const models = target.models.map((model) => ({ ...described(model), cost }));
  const config = JSON.stringify({ ...endpoint(target), apiKey: "$CURLEW_KEY", models });
  return `export default (pi) => pi.registerProvider("curlew", ${config});\n`;
}
