import { join } from "node:path";
import { type Client, keyFor } from "../client.js";
import { yaml } from "../formats/yaml.js";
import { piProvider } from "./pi.js";

export const omp: Client = {
  name: "omp",
  aliases: ["oh-my-pi"],
  title: "oh-my-pi",
  command: "omp",
  isProven: false,
  file: {
    paths: ({ homeDirectory }) =>
      ["models.yml", "models.yaml"].map((name) => join(homeDirectory, ".omp", "agent", name)),
    format: yaml,
    wanted: (target) => ({ providers: { curlew: { ...piProvider(target), apiKey: keyFor(target) } } }),
  },
  notes: ({ model }) => [`Start omp --model curlew/${model}`],
};
