/** Clients of `curlew setup` by the first product of their user agent. Libraries and named keys are none of these. */
const products: Readonly<Record<string, string>> = {
  opencode: "opencode",
  "claude-cli": "claude",
  "claude-code": "claude",
  cline: "cline",
  continue: "continue",
  "continue-cli": "continue",
  qwencode: "qwen",
  "qwen-code": "qwen",
  pi: "pi",
  "pi-coding-agent": "pi",
  omp: "omp",
  "oh-my-pi": "omp",
  "factory-cli": "droid",
  droid: "droid",
  zed: "zed",
  aider: "aider",
  litellm: "litellm",
  cliproxyapi: "cliproxyapi",
  "cli-proxy-openai-compat": "cliproxyapi",
  "new-api": "new-api",
  "open-webui": "open-webui",
};

/** The name for `curlew setup` of a client that the ledger knows by this name. */
export function setupNameOf(product: string): string | undefined {
  const name = product.toLowerCase();
  if (/^codex(?:$|[_-])/.test(name)) return "codex"; // its parts have names of their own: codex_cli_rs, codex_exec, codex_vscode
  return Object.hasOwn(products, name) ? products[name] : undefined;
}

/** `claude-cli/2.1.0` is `claude-cli`, and `OpenAI/JS` is what it is. */
export function withoutVersion(client: string): string {
  const end = client.search(/\/v?\d/);
  return end < 0 ? client : client.slice(0, end);
}
