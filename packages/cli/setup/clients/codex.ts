import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { z } from "zod";
import { attempt } from "../attempt.js";
import { type Client, chosenModel, otherModels, type SetupModel, type Target } from "../client.js";
import { json } from "../formats/json.js";
import { toml } from "../formats/toml.js";
import type { Wanted } from "../merge.js";
import { assignment } from "../shells.js";

const CATALOG = "curlew-models.json";
/** Instructions have 20 KB, and setup reads files of up to 4 MB. */
const MAX_OTHERS = 100;

export const codex: Client = {
  name: "codex",
  title: "Codex",
  command: "codex",
  install: "npm install -g @openai/codex",
  isProven: true,
  ...settings(undefined),
  asInstalled: (program, env) => ({ ...codex, ...settings(attempt(() => bundledModel(program, env))) }),
  notes: ({ key }, shell = "posix") => [
    ...(key === undefined
      ? []
      : [`Codex reads the key from the environment: ${assignment(shell, "CURLEW_KEY", "YOUR_KEY")}`]),
    "Start codex. If its background server runs already, restart that first: codex app-server daemon restart",
  ],
};

/** @param bundled without it, Codex cannot be given a list of models */
function settings(bundled: BundledModel | undefined): Pick<Client, "file" | "launch" | "savings"> {
  const wanted = bundled && ((target: Target) => catalog(target, bundled));
  const top = (target: Target, folder?: string) => ({
    model: target.model,
    model_provider: "curlew",
    // In the list, each model has its own window.
    ...(wanted === undefined
      ? { model_context_window: target.contextTokens }
      : { model_catalog_json: folder === undefined ? CATALOG : join(folder, CATALOG) }),
  });
  return {
    file: {
      paths: ({ env, homeDirectory }) => [join(env.CODEX_HOME || join(homeDirectory, ".codex"), "config.toml")],
      format: toml,
      wanted: (target) => ({ ...top(target), model_providers: { curlew: provider(target) } }),
      modelAt: ["model"],
      providerAt: ["model_provider"],
      beside: { [CATALOG]: { format: json, wanted, summary: "your account's models, with Codex's own instructions" } },
    },
    savings: [
      wanted === undefined
        ? "model_context_window: otherwise Codex assumes 272,000 tokens, and compacts too late or too early."
        : "model_catalog_json: /model lists your account's models, and Codex compacts at the window of each.",
    ],
    launch(target, { folder }) {
      const own = Object.entries(provider(target)).map(([name, value]) => [`model_providers.curlew.${name}`, value]);
      const all = [...Object.entries(top(target, folder)), ...own];
      return {
        args: all.flatMap(([name, value]) => ["--config", `${name}=${JSON.stringify(value)}`]),
        ...(target.key !== undefined && { env: { CURLEW_KEY: target.key } }),
        ...(wanted !== undefined && { files: { [CATALOG]: json.print(wanted(target)) } }),
      };
    },
  };
}

function provider({ url, key }: Target) {
  const named = { name: "Curlew", base_url: `${url}/v1`, wire_api: "responses" };
  // Without `env_key` Codex sends no key; with it, Codex does not start unless the variable is set.
  return key === undefined ? named : { ...named, env_key: "CURLEW_KEY" };
}

/** What Codex's own list says of a model. A list without instructions is refused, and Codex keeps them to itself. */
const BundledModel = z.looseObject({
  base_instructions: z.string().optional(),
  apply_patch_tool_type: z.string().nullish(),
  tool_mode: z.string().nullish(),
});
type BundledModel = z.infer<typeof BundledModel>;

/** A model of the installed Codex whose instructions are for calling tools one by one, instead of from a program. */
function bundledModel(program: string, env: Machine["env"]): BundledModel | undefined {
  const shell = /\.(cmd|bat)$/i.test(program);
  const printed = execFileSync(shell ? `"${program}"` : program, ["debug", "models", "--bundled"], {
    // Without a home, Codex does not read the user's settings, which may name a list that it refuses by now.
    env: { ...env, CODEX_HOME: join(program, "none") },
    shell,
    encoding: "utf8",
    timeout: 10_000,
    maxBuffer: 16 * 1_048_576,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { models } = z.looseObject({ models: z.array(BundledModel) }).parse(JSON.parse(printed));
  return models.find(({ tool_mode, base_instructions }) => !tool_mode && base_instructions);
}

function catalog(target: Target, { base_instructions = "", apply_patch_tool_type: patches }: BundledModel): Wanted {
  // Most of the account's models are not what these instructions call the model.
  const instructions = base_instructions.replace(/ based on GPT-\d+(?:\.\d+)*/, "");
  const described = ({ id, name, contextTokens, canSeeImages, efforts }: SetupModel, priority: number) => {
    const level = efforts.find((each) => id.endsWith(`-${each}`)) ?? efforts[0];
    return {
      slug: id,
      display_name: id,
      description: name,
      priority,
      visibility: "list",
      supported_in_api: true,
      context_window: contextTokens,
      max_context_window: contextTokens,
      input_modalities: ["text", ...(canSeeImages ? ["image"] : [])],
      supported_reasoning_levels: efforts.map((effort) => ({ effort, description: "" })),
      ...(level !== undefined && { default_reasoning_level: level }),
      support_verbosity: false,
      shell_type: "default",
      ...(typeof patches === "string" && { apply_patch_tool_type: patches }),
      truncation_policy: { mode: "bytes", limit: 10_000 },
      experimental_supported_tools: [],
      base_instructions: instructions,
    };
  };
  return { models: [chosenModel(target), ...otherModels(target).slice(0, MAX_OTHERS)].map(described) };
}
