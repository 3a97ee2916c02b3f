import { isLoopback } from "../config/loopback.js";
import { GatewayError } from "../turn/error.js";

export interface ProxyRules {
  /** URL of an HTTP or SOCKS5 proxy. */
  readonly proxy?: string | undefined;
  /** Hosts that are reached directly. */
  readonly noProxy?: readonly string[];
}

/**
 * The proxy for a URL, if any. This machine itself is never reached through one.
 * @throws GatewayError `upstream_unreachable` for a proxy of another kind: whoever set it does not want a direct connection.
 */
export function proxyFor(url: URL, rules: ProxyRules): URL | undefined {
  if (isLoopback(url.hostname) || rules.noProxy?.some((rule) => covers(rule, url))) return undefined;
  if (rules.proxy === undefined) return undefined;
  const proxy = new URL(rules.proxy);
  if (proxy.protocol === "http:" || proxy.protocol === "https:" || isSocks(proxy)) return proxy;
  const scheme = proxy.protocol.slice(0, -1);
  throw new GatewayError(
    "upstream_unreachable",
    `The environment names a ${scheme} proxy, which Curlew cannot use. Set HTTPS_PROXY to an http://, https://, socks5:// or socks5h:// proxy.`,
  );
}

/** Desktops write `socks:` for the newest version. */
export function isSocks({ protocol }: URL): boolean {
  return protocol === "socks5:" || protocol === "socks5h:" || protocol === "socks:";
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

/** A user name or a password of a URL. A percent sign that begins no escape is most likely a character of it. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
