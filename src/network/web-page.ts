import { GatewayError } from "../turn/error.js";

/** A page for people where an answer for programs belongs: a proxy, a firewall or the edge of Cursor's own network. */
export function isWebPage(contentType: string, body = ""): boolean {
  return /^text\/html/i.test(contentType) || /^\s*(<!doctype|<html)/i.test(body);
}

export function blockedNetwork(status: number, what = "a web page"): GatewayError {
  const text =
    `Something between Curlew and Cursor answered with ${what} (HTTP status ${status}). Your login is not affected: ` +
    "check proxy, VPN and firewall, then try again.";
  return new GatewayError("network_blocked", text, { isRetryable: status === 429 || status >= 500 });
}
