import type { IncomingHttpHeaders } from "node:http";

/**
 * The gateway's address for whoever looks at the page: the one by which the page was reached, which a guard has found to be one of
 * the gateway's own. A proxy in front of the gateway may speak TLS to the browser.
 */
export function addressOf({ host = "", "x-forwarded-proto": proxied }: IncomingHttpHeaders): string {
  return `${proxied === "https" ? "https" : "http"}://${host}`;
}
