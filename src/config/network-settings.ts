import { setting } from "./setting-spec.js";
import { anyProxyUrl, oneOf, proxyExceptions, proxyUrl } from "./values.js";

/** What lies between this machine and Cursor. */
export const networkSettings = {
  transport: setting({
    schema: () => oneOf(["auto", "h2", "h1"]),
    env: ["CURLEW_TRANSPORT"],
    about:
      "HTTP version of the agent stream: h2, h1, or auto (as Cursor advises; h1 for a while after HTTP/2 does not get through).",
    default: "auto",
  }),
  httpsProxy: setting({
    schema: () => proxyUrl().optional(),
    env: ["https_proxy", "HTTPS_PROXY"],
    about: "HTTP proxy on the way to Cursor, such as `http://user:password@proxy.example:3128`.",
    default: undefined,
    isSecret: true,
  }),
  httpProxy: setting({
    schema: () => proxyUrl().optional(),
    env: ["http_proxy", "HTTP_PROXY"],
    about:
      "The same for `http://` addresses. None of Cursor's is one, and this machine is never reached through a proxy.",
    default: undefined,
    isSecret: true,
  }),
  allProxy: setting({
    schema: () => anyProxyUrl().optional(),
    env: ["all_proxy", "ALL_PROXY"],
    about: "Proxy where the other two name none. It must be an HTTP proxy to be of use: SOCKS is not spoken.",
    default: undefined,
    isSecret: true,
  }),
  noProxy: setting({
    schema: () => proxyExceptions(),
    env: ["no_proxy", "NO_PROXY"],
    about: "Hosts that are reached without a proxy: `example.com` (and all below it), `example.com:8443`, `*`.",
    default: [],
    isSecret: true, // as a flag, --no-proxy would mean the opposite of a proxy
  }),
};
