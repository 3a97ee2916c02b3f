import { isLoopback } from "../config/loopback.js";
import { GatewayError } from "../turn/error.js";

export interface ProxyRules {
  readonly httpsProxy?: string | undefined;
  readonly httpProxy?: string | undefined;
  /** For URLs that the other two do not cover. */
  readonly allProxy?: string | undefined;
  /** Hosts that are reached directly. */
  readonly noProxy?: readonly string[];
}

/**
 * The proxy for a URL, if any. This machine itself is never reached through one.
 * @throws GatewayError `upstream_unreachable` for a proxy that is not HTTP, such as SOCKS.
 */
export function proxyFor(url: URL, rules: ProxyRules): URL | undefined {
  if (isLoopback(url.hostname) || rules.noProxy?.some((rule) => covers(rule, url))) return undefined;
  const named = (url.protocol === "https:" ? rules.httpsProxy : rules.httpProxy) ?? rules.allProxy;
  if (named === undefined) return undefined;
  const proxy = new URL(named);
  if (proxy.protocol === "http:" || proxy.protocol === "https:") return proxy;
  throw new GatewayError(
    "upstream_unreachable",
    `ALL_PROXY names a ${proxy.protocol.slice(0, -1)} proxy, which Curlew cannot speak to. Set HTTPS_PROXY to an HTTP proxy.`,
  );
}

/** `example.com`, `.example.com` and `*.example.com` all mean the host and everything below it. */
function covers(rule: string, url: URL): boolean {
  if (rule === "*") return true;
  const [, name = "", port] = /^(\[[^\]]*\]|[^:]*(?::[^:]*:.*)?)(?::(\d+))?$/.exec(rule.toLowerCase()) ?? [];
  if (port !== undefined && port !== portOf(url)) return false;
  const suffix = bare(name).replace(/^\*?\./, "");
  const host = bare(url.hostname);
  return suffix !== "" && (host === suffix || host.endsWith(`.${suffix}`));
}

export function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

/** Sockets take IPv6 addresses without the brackets of URLs. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
