import { type Client, keyFor, type Target } from "../client.js";

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
    `  key  ${target.key === undefined ? keyFor(target) : "the gateway's key"}`,
    `and choose the model ${target.model} in a chat.`,
    "Before its first start, OPENAI_API_BASE_URL and OPENAI_API_KEY do the same.",
    "From inside a container this machine has another address, such as host.docker.internal, and the gateway must listen there.",
  ],
  launch: (target) => ({ env: { ...variables(target), ENABLE_PERSISTENT_CONFIG: "False" } }),
};

function variables(target: Target): Record<string, string> {
  return { OPENAI_API_BASE_URL: `${target.url}/v1`, OPENAI_API_KEY: keyFor(target) };
}
