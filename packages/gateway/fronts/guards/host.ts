import { isIP } from "node:net";
import { isLoopback } from "../../network/loopback.js";
import { GatewayError } from "../../turn/error.js";
import type { Guard } from "../http/router.js";

type HostRules = { readonly host: string; readonly allowedHosts: readonly string[] };

/**
 * Accepts only requests to our own host names. A web page can point its own host name at this machine and then use the gateway
 * as if it were the page's own server (DNS rebinding); but the browser still sends that name.
 */
export function guardHost({ host, allowedHosts }: HostRules): Guard {
  const names = new Set([host, ...allowedHosts].map(bareName));
  const isBoundToAll = ["0.0.0.0", "::"].includes(bareName(host));
  const isAllowed = (name: string) =>
    // An IP address cannot be rebound; when bound to all addresses, each of them is ours.
    isLoopback(name) || names.has(name) || (isBoundToAll && isIP(name) !== 0);
  return ({ rawHeaders, headers }) => {
    // Node keeps the first of several; a proxy before us may have used another.
    if (countHosts(rawHeaders) > 1) {
      throw new GatewayError("invalid_request", "The request has more than one Host header. Send one.");
    }
    const given = headers.host;
    // Only HTTP/1.0 may omit it, which browsers do not speak.
    if (given !== undefined && !isAllowed(bareName(given))) {
      if (!/^[\w.:[\]-]*$/.test(given)) {
        throw new GatewayError("invalid_request", "The address or the host name of this request is not valid.");
      }
      throw new GatewayError(
        "forbidden_host",
        "This gateway does not answer to the host name in the request. Use its address, or allow the name with allowedHosts (CURLEW_ALLOWED_HOSTS).",
      );
    }
  };
}

/** The list alternates between names and values. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "host") count++;
  return count;
}

/** The name in lower case, without port, brackets and final dot. */
function bareName(host: string): string {
  const name = host.trim().toLowerCase();
  const inBrackets = /^\[([^\]]*)\](?::\d+)?$/.exec(name)?.[1];
  if (inBrackets !== undefined) return inBrackets;
  return isIP(name) === 6 ? name : name.replace(/:\d*$/, "").replace(/\.$/, "");
}
