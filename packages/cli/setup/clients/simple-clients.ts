import { join } from "node:path";
import { type Client, keyFor, OUTPUT_TOKENS, otherModels, type Target } from "../client.js";
import { json } from "../formats/json.js";
import { yaml } from "../formats/yaml.js";
import { listItems, plainObject, unlessSet, type Wanted } from "../merge.js";
import { assignment } from "../shells.js";

export const aider: Client = {
  name: "aider",
  title: "Aider",
  command: "aider",
  install: "python -m pip install aider-install && aider-install",
  isProven: false,
  file: {
    paths: ({ homeDirectory }) => [join(homeDirectory, ".aider.conf.yml")],
    format: yaml,
    wanted: aiderOptions,
    modelAt: ["model"],
  },
  notes: () => ["Start aider. A .aider.conf.yml in your project overrides the one in your home folder."],
  launch: (target) => {
    // `weak-model` is `AIDER_WEAK_MODEL`.
    const variableOf = (name: string) => `AIDER_${name.replaceAll("-", "_").toUpperCase()}`;
    const entries = Object.entries(aiderOptions(target)).map(([name, value]) => [variableOf(name), value]);
    return { env: Object.fromEntries(entries) };
  },
};

function aiderOptions(target: Target): Record<string, string> {
  return {
    model: `openai/${target.model}`,
    "weak-model": `openai/${target.smallModel}`,
    "openai-api-base": `${target.url}/v1`,
    "openai-api-key": keyFor(target, "aider"),
  };
}

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
      "openai-compatibility": listItems("name", [
        {
          name: "curlew",
          "base-url": `${target.url}/v1`,
          "api-key-entries": [{ "api-key": keyFor(target, "cliproxyapi") }],
          models: target.models.map(({ id }) => ({ name: id, alias: `curlew-${id}` })),
        },
      ]),
    }),
  },
  notes: ({ model }) => [`Ask it for the model curlew-${model}.`],
};

export const droid: Client = {
  name: "droid",
  aliases: ["factory", "factory-droid"],
  title: "Factory Droid",
  command: "droid",
  install: "curl -fsSL https://app.factory.ai/cli | sh",
  isProven: false,
  file: {
    paths: ({ homeDirectory }) => [join(homeDirectory, ".factory", "settings.json")],
    format: json,
    wanted(target) {
      const entry = (displayName: string, model: string) => ({
        model,
        displayName,
        baseUrl: `${target.url}/v1`,
        apiKey: keyFor(target, "droid"),
        provider: "generic-chat-completion-api",
        maxOutputTokens: OUTPUT_TOKENS,
      });
      const others = otherModels(target).map(({ id }) => entry(`Curlew: ${id}`, id));
      return { customModels: listItems("displayName", [entry("Curlew", target.model), ...others]) };
    },
  },
  notes: () => ["Start droid and choose Curlew with /model."],
};

export const litellm: Client = {
  name: "litellm",
  title: "LiteLLM",
  command: "litellm",
  install: "pip install 'litellm[proxy]'",
  isProven: false,
  file: { paths: () => ["litellm_config.yaml", "config.yaml"], format: yaml, wanted: litellmModels },
  notes: () => ["Start litellm --config FILE and ask it for the model curlew."],
  launch: (target, { folder }) => ({
    args: ["--config", join(folder, "config.yaml")],
    files: { "config.yaml": yaml.print(plainObject(litellmModels(target))) },
  }),
};

function litellmModels(target: Target): Wanted {
  const entry = (name: string, model: string) => ({
    model_name: name,
    litellm_params: { model: `openai/${model}`, api_base: `${target.url}/v1`, api_key: keyFor(target, "litellm") },
  });
  const others = otherModels(target).map(({ id }) => entry(`curlew/${id}`, id));
  return { model_list: listItems("model_name", [entry("curlew", target.model), ...others]) };
}

/** It keeps its channels in a database, behind a web page. */
export const newApi: Client = {
  name: "new-api",
  title: "new-api",
  isProven: false,
  notes: (target) => [
    "Add a channel on the page Channels of its web interface:",
    "  type      OpenAI",
    `  base URL  ${target.url}   (without /v1)`,
    `  key       ${target.key === undefined ? keyFor(target, "new-api") : "the gateway's key"}`,
    `  models    ${target.models.map(({ id }) => id).join(",")}`,
  ],
};

/** It keeps its connections in a database, and reads the environment only at its first start. */
export const openWebui: Client = {
  name: "open-webui",
  aliases: ["openwebui"],
  title: "Open WebUI",
  command: "open-webui",
  install: "pip install open-webui",
  isProven: false,
  notes: (target) => [
    "Add a connection under Admin Panel > Settings > Connections > OpenAI API:",
    `  URL  ${target.url}/v1`,
    `  key  ${target.key === undefined ? keyFor(target, "open-webui") : "the gateway's key"}`,
    `and choose the model ${target.model} in a chat.`,
    "Before its first start, OPENAI_API_BASE_URL and OPENAI_API_KEY do the same.",
    "From inside a container this machine has another address, such as host.docker.internal, and the gateway must listen there.",
  ],
  launch: (target) => ({
    env: {
      OPENAI_API_BASE_URL: `${target.url}/v1`,
      OPENAI_API_KEY: keyFor(target, "open-webui"),
      ENABLE_PERSISTENT_CONFIG: "False",
    },
  }),
};

/** Any program that reads the variables of the official SDKs. */
export const plainEnv: Client = {
  name: "env",
  title: "Environment",
  isProven: true,
  // These lines can be pasted into a shell; the key itself is never shown.
  notes: (target, shell = "posix") =>
    Object.entries(sdkVariables(target)).map(([name, value]) =>
      assignment(shell, name, value === target.key ? { variable: "CURLEW_KEY" } : value),
    ),
  launch: (target) => ({ env: sdkVariables(target) }),
};

function sdkVariables(target: Target): Record<string, string> {
  return {
    ...openAiVariables(target, "env"),
    ANTHROPIC_BASE_URL: target.url,
    ANTHROPIC_AUTH_TOKEN: keyFor(target, "env"),
    ANTHROPIC_MODEL: target.model,
  };
}

function openAiVariables(target: Target, client: string): Record<string, string> {
  return { OPENAI_BASE_URL: `${target.url}/v1`, OPENAI_API_KEY: keyFor(target, client), OPENAI_MODEL: target.model };
}

/** What Qwen Code asks the model for by itself, each time in another run. */
const savingRuns = {
  ui: { enableFollowupSuggestions: false },
  memory: { enableManagedAutoMemory: false },
  tools: { approvalMode: unlessSet("default") },
};

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
      env: openAiVariables(target, "qwen"),
      security: { auth: { selectedType: "openai" } },
      model: { name: target.model },
      ...savingRuns,
    }),
    modelAt: ["model", "name"],
  },
  savings: [
    "ui.enableFollowupSuggestions=false: with suggestions of what to say next, each message is two runs.",
    "memory.enableManagedAutoMemory=false: its search for things to remember is one more run in every conversation.",
    "tools.approvalMode=default, if you have chosen none: in `auto`, each risky tool call costs up to two runs.",
  ],
  notes: () => ["Start qwen. Variables of the same names in your shell or in a .env file override it."],
  launch: (target, { folder }) => ({
    args: ["--auth-type", "openai", "--model", target.model],
    // All other settings override these.
    env: { QWEN_CODE_SYSTEM_DEFAULTS_PATH: join(folder, "defaults.json"), ...openAiVariables(target, "qwen") },
    files: { "defaults.json": json.print(plainObject(savingRuns)) },
  }),
};
