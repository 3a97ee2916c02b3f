import type { IncomingHttpHeaders } from "node:http";
import type { Account } from "../gateway/index.js";

/** Cursor's web cookie in the forms that browsers show, or one of Cursor's API keys. */
const CURSOR_CREDENTIAL = /^(?:WorkosCursorSessionToken=|user_\w+(?:::|%3A%3A)|crsr_)/i;
const IGNORED =
  "The API key of this request looks like a credential of Cursor, which is not used here. Start the gateway with --pass-through to have each request use its own.";

/** Warns a client that sends a credential for Cursor although requests cannot bring their own. */
export function warnOfCredential(headers: IncomingHttpHeaders): readonly string[] {
  const shown = bearerOf(headers) ?? headers["x-api-key"];
  return typeof shown === "string" && CURSOR_CREDENTIAL.test(shown) ? [IGNORED] : [];
}

/** Pass-through mode: the API key of a request is the caller's own credential for Cursor. */
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
