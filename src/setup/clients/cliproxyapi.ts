import { type Client, keyFor } from "../client.js";
import { yaml } from "../formats/yaml.js";
import { ListItems } from "../merge.js";

export const cliproxyapi: Client = {
  name: "cliproxyapi",
  title: "CLIProxyAPI",
  command: "cli-proxy-api",
  install: "https://github.com/router-for-me/CLIProxyAPI",
  isProven: false,
  file: {
    paths: () => ["config.yaml"],
    format: yaml,
    wanted: (target) => ({
      "openai-compatibility": new ListItems("name", [
        {
          name: "curlew",
          "base-url": `${target.url}/v1`,
          "api-key-entries": [{ "api-key": keyFor(target) }],
          models: target.models.map(({ id }) => ({ name: id, alias: `curlew-${id}` })),
        },
      ]),
    }),
  },
  notes: ({ model }) => [`Ask it for the model curlew-${model}.`],
};
