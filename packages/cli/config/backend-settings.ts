import { builtInDefaults } from "@curlew/gateway/backends/profile/index.js";
import { backendChoices, registeredBackends } from "@curlew/gateway/backends/registry.js";
import { conducts } from "./constants.js";
import { group, optional, secret, setting } from "./setting.js";
import { baseUrl, folder, list, oneOf, pairs, proxyExceptions, proxyUrl, text } from "./values.js";

export const backendSettings = group("Backends: how Curlew talks to Cursor", {
  backend: setting({
    type: () => oneOf(backendChoices),
    default: "auto",
    about: `How Curlew talks to Cursor: ${backendChoices.slice(0, -1).join(", ")} or ${backendChoices.at(-1)}.`,
    use: "common",
  }),
  routes: setting({
    type: () => pairs(oneOf(registeredBackends), "models and backends such as gpt-5*=cli, separated by commas"),
    default: {},
    about: "Models that use another backend, such as `gpt-5*=cli`; the first match counts. An object in the file.",
  }),
  fallback: setting({
    type: () => list(oneOf(registeredBackends)),
    default: [],
    about: "Other backends to try, in order: when one fails before its first word, the next takes over.",
  }),
  conduct: setting({
    type: () => oneOf(conducts),
    default: "usual",
    about:
      "How Curlew behaves towards Cursor: usual, or careful for an account at work (only Cursor's SDK or CLI, two runs at once, no retries, no run left open for more than a minute).",
    use: "common",
  }),
  cliPath: optional({
    type: () => text("the path of the Cursor CLI"),
    about: "Path of the Cursor CLI. Default: `cursor-agent`, otherwise Cursor's `agent`, on the PATH.",
  }),
  sdkPath: optional({
    type: () => text("the folder or the file of @cursor/sdk"),
    about: "Where `@cursor/sdk` is installed. Default: found from the working folder or from Curlew's own.",
  }),
  workspaceRoots: setting({
    type: () => list(folder()),
    default: [],
    about: "Folders in which a request may choose its workspace (`x-curlew-workspace`).",
  }),
});

export const networkSettings = group("Network: where Cursor is, and how to get there", {
  backendUrl: setting({
    type: () => baseUrl(),
    default: builtInDefaults.backendUrl,
    env: ["CURSOR_BACKEND_URL", "CURSOR_URL"],
    about: "Base URL for all calls to Cursor.",
  }),
  agentUrl: optional({
    type: () => baseUrl(),
    env: ["CURSOR_AGENT_URL"],
    about:
      "Base URL for the agent stream only. Default: `backendUrl` if you set it, otherwise the one that Cursor names.",
  }),
  websiteUrl: setting({
    type: () => baseUrl(),
    default: builtInDefaults.websiteUrl,
    env: ["CURSOR_WEBSITE_URL"],
    about: "Where Cursor's sign-in page is.",
  }),
  transport: setting({
    type: () => oneOf(["auto", "h2", "h1"]),
    default: "auto",
    about:
      "HTTP version of the agent stream: h2, h1 or auto (what Cursor advises, and h1 for a while after HTTP/2 was blocked).",
  }),
  proxy: secret({
    type: () => proxyUrl(),
    env: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
    about:
      "HTTP or SOCKS5 proxy on the way to Cursor, such as `http://user:password@proxy.example:3128` or `socks5h://127.0.0.1:1080`.",
  }),
  noProxy: setting({
    type: () => proxyExceptions(),
    default: [],
    env: ["no_proxy", "NO_PROXY"],
    about: "Hosts to reach without a proxy: `example.com` (with all subdomains), `example.com:8443`, `*`.",
    only: "environment", // as a flag, --no-proxy would mean the opposite of a proxy
  }),
});
