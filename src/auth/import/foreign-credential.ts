import { emailOf, expiryMs, tokenType } from "../claims.js";
import type { KeptSecret } from "../stores/kept-credential.js";

/** What was found in a store of Cursor's own programs. */
export type ForeignLookup =
  | { readonly state: "none" }
  /** The credential cannot be read or used; `why` completes "Cursor's CLI: ...". */
  | { readonly state: "unusable"; readonly why: string }
  | ForeignCredential;

export interface ForeignCredential {
  readonly state: "found";
  readonly secret: KeptSecret;
  readonly email?: string | undefined;
  readonly expiresMs?: number | undefined;
  /** The server that it was issued for, where that is known. */
  readonly backendUrl?: string | undefined;
}

interface ForeignTokens {
  readonly apiKey?: string | undefined;
  readonly accessToken?: string | undefined;
  readonly refreshToken?: string | undefined;
  readonly email?: string | undefined;
}

/** Judges the tokens of a login. A key is better than a session, because it can be exchanged for as long as it is valid. */
export function judgeTokens(
  { apiKey, accessToken, refreshToken, email }: ForeignTokens,
  { canRenew, nowMs }: { canRenew: boolean; nowMs: number },
): ForeignLookup {
  if (apiKey) return { state: "found", secret: { kind: "api-key", apiKey }, email };
  if (!accessToken) return { state: "none" };
  if (tokenType(accessToken) === "api_key_token") {
    return { state: "unusable", why: "it holds only a token of an API key, which lasts an hour" };
  }
  const expiresMs = expiryMs(accessToken);
  if (expiresMs !== undefined && expiresMs <= nowMs) {
    return { state: "unusable", why: `its session ended on ${new Date(expiresMs).toISOString().slice(0, 10)}` };
  }
  return {
    state: "found",
    secret: { kind: "session", accessToken, refreshToken: refreshToken || accessToken, canRenew },
    email: email ?? emailOf(accessToken),
    expiresMs,
  };
}
