import { GatewayError } from "../turn/error.js";
import { isLoopback } from "./loopback.js";

export interface ProxyRules {
  /** URL of an HTTP or SOCKS5 proxy. */
  readonly proxy?: string | undefined;
  readonly noProxy?: readonly string[];
}

/** None for this machine itself. @throws GatewayError for an unsupported proxy, instead of falling back to a direct connection */
export function proxyFor(url: URL, rules: ProxyRules): URL | undefined {
  if (isLoopback(url.hostname) || rules.noProxy?.some((rule) => covers(rule, url))) return undefined;
  if (rules.proxy === undefined) return undefined;
  const proxy = new URL(rules.proxy);
  if (proxy.protocol === "http:" || proxy.protocol === "https:" || isSocks(proxy)) return proxy;
  const scheme = proxy.protocol.slice(0, -1);
  const fix = "Set HTTPS_PROXY to an http://, https://, socks5:// or socks5h:// proxy.";
  const text = `The environment names a ${scheme} proxy, which Curlew cannot use. ${fix}`;
  throw new GatewayError("upstream_unreachable", text);
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
