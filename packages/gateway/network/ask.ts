import { GatewayError } from "../turn/error.js";
import { parseJson } from "../turn/read-json.js";
import type { FetchInit, HttpResponse, Network } from "./network.js";

export function unreachable(origin: string, cause?: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const reason = reasonOf(cause);
  const advice = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(reason)
    ? "If your network inspects traffic, name its certificate in NODE_EXTRA_CA_CERTS."
    : "Check the network, then try again.";
  const text = `Cursor cannot be reached at ${origin} (${reason}). ${advice}`;
  return new GatewayError("upstream_unreachable", text, { cause, isRetryable: true });
}

export function brokenOff(cause?: unknown): GatewayError {
  const text =
    "The connection to Cursor broke off before the answer was complete. Try again; if it keeps happening, run `curlew doctor`.";
  return new GatewayError("upstream_error", text, { cause, isRetryable: true });
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "it closed the connection";
  if (cause.name === "AbortError" || cause.name === "TimeoutError") return "it did not answer in time";
  return String(Reflect.get(cause, "code") ?? cause.message);
}

/** Whether a proxy, a firewall or the edge of Cursor's network answered: a page, a redirect, or a request for a password. */
export function isForeign(status: number, contentType: string, body = ""): boolean {
  if (status === 407 || isRedirect(status)) return true;
  return /^text\/html/i.test(contentType) || /^\s*(<!doctype|<html)/i.test(body);
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

export function blockedNetwork(status: number, what = "a web page", location = ""): GatewayError {
  const redirect = URL.canParse(location) ? `a redirect to ${new URL(location).host}` : "a redirect";
  const text =
    status === 407
      ? "A proxy between Curlew and Cursor wants a user name and password (HTTP status 407): put them into HTTPS_PROXY, as http://user:password@host:port."
      : `Something between Curlew and Cursor answered with ${isRedirect(status) ? redirect : what} (HTTP status ${status}). Your login is not affected: ` +
        "sign in to this network if it asks for that, check proxy, VPN and firewall, then try again.";
  return new GatewayError("network_blocked", text, { isRetryable: status === 429 || status >= 500 });
}

/** Makes a unary call over HTTP/1.1, as Cursor's own clients do. @throws GatewayError `upstream_unreachable` or `canceled` */
export async function ask(
  network: Pick<Network, "fetch">,
  url: URL,
  request: FetchInit & { readonly signal: AbortSignal },
): Promise<HttpResponse> {
  try {
    return await network.fetch(url, request);
  } catch (cause) {
    const { aborted, reason } = request.signal;
    const hasLeft = aborted && !(reason instanceof Error && reason.name === "TimeoutError");
    if (hasLeft) throw new GatewayError("canceled", "The call to Cursor was canceled.", { cause });
    throw unreachable(url.origin, cause);
  }
}

/** The same for a call of Cursor's sign-in, in JSON. Where something in front of Cursor answered, that says nothing about the credential. */
export async function askInJson(network: Pick<Network, "fetch">, url: URL, request: Parameters<typeof ask>[2]) {
  const headers = { ...request.headers, "content-type": "application/json" };
  const { status, header, body } = await ask(network, url, { ...request, headers });
  const text = body.toString("utf8");
  return { status, text, json: parseJson(text), isForeign: isForeign(status, header("content-type"), text) };
}
