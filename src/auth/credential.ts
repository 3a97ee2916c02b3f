import { createHash } from "node:crypto";
import { subjectOf } from "./claims.js";

/** The kinds renew differently and are never taken for one another. */
export type Credential =
  /** Long-lived; exchanged for tokens of about an hour, again and again. */
  | { readonly kind: "api-key"; readonly apiKey: string }
  /** From a login; only a session of Cursor's editor can be renewed. */
  | {
      readonly kind: "session";
      readonly accessToken: string;
      readonly refreshToken: string;
      readonly canRenew: boolean;
    }
  /** Used as it is. */
  | { readonly kind: "access-token"; readonly accessToken: string }
  /** It is there, but no request can be made with it. */
  | { readonly kind: "unusable"; readonly why: string };

export interface FoundCredential {
  readonly credential: Credential;
  /** Where it is from, in words that complete "the API key from ...". */
  readonly from: string;
  /** What to do when Cursor refuses it. */
  readonly fix: string;
  readonly email?: string | undefined;
  /** When the credential itself ends, where that is known. */
  readonly expiresMs?: number | undefined;
}

/** `crsr_` keys are today's; `key_` ones are older. The rest of a key is Cursor's own affair. */
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

/**
 * Names the account without telling anything of its secret. A session that is renewed stays the account it was. Other tokens
 * go by their whole text: they may be a stranger's, who could write anybody's name into one.
 */
export function accountOf(credential: Credential): string {
  const subject = credential.kind === "session" ? subjectOf(credential.accessToken) : undefined;
  const name = subject ?? secretsOf(credential)[0] ?? "none";
  return createHash("sha256").update(name).digest("hex").slice(0, 16);
}

/** Enough to tell two secrets apart, too little to use one. */
export function masked(secret: string): string {
  const start = /^(crsr|key)_/.exec(secret)?.[0] ?? "";
  return `${start}...${secret.length >= 20 ? secret.slice(-4) : ""}`;
}
