import type { SettingSpec } from "./setting-spec.js";
import type { SettingName, Settings, TransportSetting } from "./settings.js";
import { anyProxyUrl, oneOf, proxyExceptions, proxyUrl } from "./values.js";

const transports = ["auto", "h2", "h1"] as const satisfies TransportSetting[];

/** What lies between this machine and Cursor. */
export const networkSettings = {
  transport: {
    schema: () => oneOf(transports),
    env: ["CURLEW_TRANSPORT"],
    about:
      "HTTP version of the agent stream: h2, h1, or auto (as Cursor advises; h1 for a while after HTTP/2 does not get through).",
    default: "auto",
  },
  httpsProxy: {
    schema: () => proxyUrl().optional(),
    env: ["https_proxy", "HTTPS_PROXY"],
    about: "HTTP proxy on the way to Cursor, such as `http://user:password@proxy.example:3128`.",
    default: undefined,
    isSecret: true,
  },
  httpProxy: {
    schema: () => proxyUrl().optional(),
    env: ["http_proxy", "HTTP_PROXY"],
    about:
      "The same for `http://` addresses. None of Cursor's is one, and this machine is never reached through a proxy.",
    default: undefined,
    isSecret: true,
  },
  allProxy: {
    schema: () => anyProxyUrl().optional(),
    env: ["all_proxy", "ALL_PROXY"],
    about: "Proxy where the other two name none. It must be an HTTP proxy to be of use: SOCKS is not spoken.",
    default: undefined,
    isSecret: true,
  },
  noProxy: {
    schema: () => proxyExceptions(),
    env: ["no_proxy", "NO_PROXY"],
    about: "Hosts that are reached without a proxy: `example.com` (and all below it), `example.com:8443`, `*`.",
    default: [],
    isSecret: true, // as a flag, --no-proxy would mean the opposite of a proxy
  },
} as const satisfies { readonly [Name in SettingName]?: SettingSpec<Settings[Name]> };
