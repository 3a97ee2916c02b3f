/** What user agents call the clients of `curlew setup`, in lower case, where that is another name. */
const names: Readonly<Record<string, string>> = {
  "claude-cli": "claude",
  "claude-code": "claude",
  "continue-cli": "continue",
  qwencode: "qwen",
  "qwen-code": "qwen",
  "pi-coding-agent": "pi",
  "oh-my-pi": "omp",
  "factory-cli": "droid",
  "cli-proxy-openai-compat": "cliproxyapi",
};
/** The other clients of `curlew setup`; their case varies. */
const SAME = /^(?:claude|opencode|cline|continue|qwen|pi|omp|droid|zed|aider|litellm|cliproxyapi|new-api|open-webui)$/;
const VERSION = /\/v?\d.*/s;
/** `curlew setup` writes such keys for gateways that need none. `env` is for any program, so it names none. */
const LABEL = /^(?:bearer )?curlew-(?!env$)([a-z0-9][a-z0-9-]{0,23})$/i;

/** The name that `curlew setup` uses for this product, or else the product without its version: `OpenAI/JS`. */
export function clientNameOf(product: string): string {
  const name = product.replace(VERSION, "");
  const known = name.toLowerCase();
  if (SAME.test(known)) return known;
  if (/^codex(?:$|[_-])/.test(known)) return "codex"; // variants: codex_cli_rs, codex_exec, codex-tui, codex_vscode
  return Object.hasOwn(names, known) ? (names[known] ?? name) : name;
}

/** The client named by a key such as `curlew-cline`. A label, not a credential: only for gateways that need no key. */
export function labelledClient(shown: readonly unknown[]): string | undefined {
  for (const key of shown) {
    const label = typeof key === "string" ? LABEL.exec(key)?.[1] : undefined;
    if (label !== undefined) return clientNameOf(label.toLowerCase());
  }
  return undefined;
}

/** The client of a recorded request. Requests recorded by earlier versions have a product with its version. */
export function recordedClient(client: string): string {
  return VERSION.test(client) ? clientNameOf(client) : client;
}
