import { join } from "node:path";
import { type Client, keyFor, type Target } from "../client.js";
import { yaml } from "../formats/yaml.js";
import { ListItem, plainObject, type Wanted } from "../merge.js";

export const litellm: Client = {
  name: "litellm",
  title: "LiteLLM",
  command: "litellm",
  isProven: false,
  file: { paths: () => ["litellm_config.yaml", "config.yaml"], format: yaml, wanted },
  notes: () => ["Start litellm --config FILE and ask it for the model curlew."],
  launch: (target, { folder }) => ({
    args: ["--config", join(folder, "config.yaml")],
    files: { "config.yaml": yaml.print(plainObject(wanted(target))) },
  }),
};

function wanted(target: Target): Wanted {
  return {
    model_list: new ListItem("model_name", {
      model_name: "curlew",
      litellm_params: { model: `openai/${target.model}`, api_base: `${target.url}/v1`, api_key: keyFor(target) },
    }),
  };
}
