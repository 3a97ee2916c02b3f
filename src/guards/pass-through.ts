import type { IncomingHttpHeaders } from "node:http";
import type { Account } from "../gateway/index.js";

/** Cursor's web cookie as browsers show it, or an API key of Cursor's. */
const cursorCredential = /^(?:WorkosCursorSessionToken=|user_\w+(?:::|%3A%3A)|crsr_)/i;
const IGNORED =
  "The API key of this request looks like a credential of Cursor, which is not used here. Start the gateway with --pass-through to have each request use its own.";

/** What to tell a client that brings a credential where requests bring none. */
export function warnOfCredential(headers: IncomingHttpHeaders): readonly string[] {
  const shown = bearerOf(headers) ?? headers["x-api-key"];
  return typeof shown === "string" && cursorCredential.test(shown) ? [IGNORED] : [];
}

/** Pass-through mode: what stands where clients put their API key is the caller's own credential for Cursor. */
export function requestAccounts(
  accountOfCredential: (credential: string) => Account,
): (headers: IncomingHttpHeaders) => Account | undefined {
  return (headers) => {
    const apiKey = headers["x-api-key"];
    const credential = bearerOf(headers) ?? (typeof apiKey === "string" ? apiKey.trim() : undefined);
    return credential ? accountOfCredential(credential) : undefined;
  };
}

export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  if (authorization === undefined || !/^bearer /i.test(authorization)) return undefined;
  return authorization.slice("bearer ".length).trim();
}
