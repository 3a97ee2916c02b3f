import { join } from "node:path";
import { type Client, keyFor, otherModels, type Target } from "../client.js";
import { yaml } from "../formats/yaml.js";
import { ListItems, plainObject, type Wanted } from "../merge.js";

export const litellm: Client = {
  name: "litellm",
  title: "LiteLLM",
  command: "litellm",
  install: "pip install 'litellm[proxy]'",
  isProven: false,
  file: { paths: () => ["litellm_config.yaml", "config.yaml"], format: yaml, wanted },
  notes: () => ["Start litellm --config FILE and ask it for the model curlew."],
  launch: (target, { folder }) => ({
    args: ["--config", join(folder, "config.yaml")],
    files: { "config.yaml": yaml.print(plainObject(wanted(target))) },
  }),
};

function wanted(target: Target): Wanted {
  const entry = (name: string, model: string) => ({
    model_name: name,
    litellm_params: { model: `openai/${model}`, api_base: `${target.url}/v1`, api_key: keyFor(target) },
  });
  const others = otherModels(target).map(({ id }) => entry(`curlew/${id}`, id));
  return { model_list: new ListItems("model_name", [entry("curlew", target.model), ...others]) };
}
