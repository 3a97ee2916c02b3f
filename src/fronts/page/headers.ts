import type { ServerResponse } from "node:http";

/** Only scripts and styles of the gateway's own files run, and they reach no other address. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** Headers for everything that a browser may show. They are set on the raw response, so that errors and streams carry them too. */
export function harden(outgoing: ServerResponse): void {
  outgoing.setHeader("content-security-policy", POLICY);
  outgoing.setHeader("x-content-type-options", "nosniff");
  outgoing.setHeader("referrer-policy", "no-referrer");
  outgoing.setHeader("cross-origin-opener-policy", "same-origin");
  outgoing.setHeader("cross-origin-resource-policy", "same-origin");
}
