import { type Client, keyFor } from "../client.js";
import { yaml } from "../formats/yaml.js";
import { ListItem } from "../merge.js";

export const cliproxyapi: Client = {
  name: "cliproxyapi",
  title: "CLIProxyAPI",
  command: "cli-proxy-api",
  isProven: false,
  file: {
    paths: () => ["config.yaml"],
    format: yaml,
    wanted: (target) => ({
      "openai-compatibility": new ListItem("name", {
        name: "curlew",
        "base-url": `${target.url}/v1`,
        "api-key-entries": [{ "api-key": keyFor(target) }],
        models: [{ name: target.model, alias: `curlew-${target.model}` }],
      }),
    }),
  },
  notes: ({ model }) => [`Ask it for the model curlew-${model}.`],
};
