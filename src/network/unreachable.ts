import { GatewayError } from "../turn/error.js";

export function unreachable(origin: string, cause?: unknown): GatewayError {
  const text = `Cursor cannot be reached at ${origin} ${whyUnreachable(cause)}`;
  return new GatewayError("upstream_unreachable", text, { cause, isRetryable: true });
}

/** The error for a response that stopped before its end. */
export function brokenOff(cause?: unknown): GatewayError {
  const text =
    "The connection to Cursor broke off before the answer was complete. Try again; if it goes on, run `curlew doctor`.";
  return new GatewayError("upstream_error", text, { cause, isRetryable: true });
}

/** Why a call failed and what to do about it, as the end of a sentence: `(ECONNREFUSED). Check ...` */
function whyUnreachable(cause: unknown): string {
  const reason = reasonOf(cause);
  const advice = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(reason)
    ? "If your network inspects traffic, name its certificate in NODE_EXTRA_CA_CERTS."
    : "Check the network, then try again.";
  return `(${reason}). ${advice}`;
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "it closed the connection";
  if (cause.name === "AbortError" || cause.name === "TimeoutError") return "it did not answer in time";
  return String(Reflect.get(cause, "code") ?? cause.message);
}

/**
 * Whether the response is a page for people instead of an answer for programs: from a proxy, a firewall or the edge of Cursor's
 * own network.
 */
export function isWebPage(contentType: string, body = ""): boolean {
  return /^text\/html/i.test(contentType) || /^\s*(<!doctype|<html)/i.test(body);
}

export function blockedNetwork(status: number, what = "a web page"): GatewayError {
  const text =
    `Something between Curlew and Cursor answered with ${what} (HTTP status ${status}). Your login is not affected: ` +
    "check proxy, VPN and firewall, then try again.";
  return new GatewayError("network_blocked", text, { isRetryable: status === 429 || status >= 500 });
}
