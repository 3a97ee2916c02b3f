import { createHash } from "node:crypto";
import { textClaim } from "./claims.js";
import type { KeptSecret } from "./stores/own-store.js";

/** The kinds are renewed differently and are never taken for one another. */
export type Credential =
  | KeptSecret
  /** Used as it is, without renewal. */
  | { readonly kind: "access-token"; readonly accessToken: string }
  /** The credential exists, but no request can be made with it. */
  | { readonly kind: "unusable"; readonly why: string };

export interface FoundCredential {
  readonly credential: Credential;
  /** Its origin, in words that complete "the API key from ...". */
  readonly from: string;
  /** What to do when Cursor refuses it. */
  readonly fix: string;
  readonly email?: string | undefined;
  readonly expiresMs?: number | undefined;
}

/** Current keys begin with `crsr_`, older ones with `key_` (docs/protocol/wire.md, sign-in). The rest of a key is opaque. */
export function isApiKey(text: string): boolean {
  return /^(crsr|key)_/.test(text);
}

export function isJwt(text: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(text);
}

export function secretsOf(credential: Credential): string[] {
  switch (credential.kind) {
    case "api-key":
      return [credential.apiKey];
    case "session":
      return [credential.accessToken, credential.refreshToken];
    case "access-token":
      return [credential.accessToken];
    case "unusable":
      return [];
  }
}

/** A hash that names the account. Only a session is named by its subject: a caller could forge that claim in any other token. */
export function accountOf(credential: Credential): string {
  const subject = credential.kind === "session" ? textClaim(credential.accessToken, "sub") : undefined;
  const name = subject ?? secretsOf(credential)[0] ?? "none";
  return createHash("sha256").update(name).digest("hex").slice(0, 16);
}

/** The end of the secret: enough to tell two apart, too little to use. */
export function hintOf(credential: Credential): string {
  const secret = secretsOf(credential)[0] ?? "";
  const start = /^(crsr|key)_/.exec(secret)?.[0] ?? "";
  return `${start}...${secret.length >= 20 ? secret.slice(-4) : ""}`;
}
