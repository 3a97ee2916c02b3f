import { createHash } from "node:crypto";
import type { Clock } from "../system/clock.js";
import { GatewayError } from "../turn/error.js";
import { type Credential, type FoundCredential, isApiKey, isJwt } from "./credential.js";
import type { OwnStore } from "./stores/own-store.js";
import { withoutUser } from "./web-cookie.js";

const LOG_IN = "Run: curlew login";

interface Locations {
  readonly apiKey: string | undefined;
  readonly authToken: string | undefined;
  readonly backendUrl: string;
  readonly store: OwnStore;
}

/** The gateway's credential: the first one found, usable or not. */
export async function findCredential(locations: Locations): Promise<FoundCredential | undefined> {
  const { apiKey, authToken, backendUrl, store } = locations;
  if (apiKey !== undefined) {
    const fix = "Set CURSOR_API_KEY to a valid key of your account, or unset it and run: curlew login";
    const why = "CURSOR_API_KEY holds an access token, which is not an API key (crsr_...).";
    const credential: Credential = isJwt(apiKey) ? { kind: "unusable", why } : { kind: "api-key", apiKey };
    return { credential, from: "CURSOR_API_KEY", fix };
  }
  if (authToken !== undefined) {
    const fix = "Set CURSOR_AUTH_TOKEN to a fresh token, or unset it and run: curlew login";
    const why = "CURSOR_AUTH_TOKEN holds an API key; that belongs in CURSOR_API_KEY.";
    const token: Credential = { kind: "access-token", accessToken: authToken };
    return { credential: isApiKey(authToken) ? { kind: "unusable", why } : token, from: "CURSOR_AUTH_TOKEN", fix };
  }
  const lookup = await store.read();
  switch (lookup.state) {
    case "none":
      return undefined;
    case "unusable":
      return { credential: { kind: "unusable", why: lookup.why }, from: "Curlew's own store", fix: LOG_IN };
    case "kept": {
      const { kept, storedIn } = lookup;
      // A key of one server is never sent to another.
      if (kept.backendUrl !== backendUrl) return undefined;
      const where = storedIn === "keychain" ? "the system's keychain" : store.file;
      const { email, expiresMs, origin } = kept;
      return { credential: kept.secret, from: `${where} (${origin})`, fix: LOG_IN, email, expiresMs };
    }
  }
}

/** Parses a caller's Cursor API key, token or web cookie. @throws GatewayError `not_authenticated` for any other text. */
export function callerCredential(text: string): FoundCredential {
  const bare = withoutUser(text.trim());
  const from = "this request";
  const fix = "Send a valid API key or session token of your own Cursor account as the bearer.";
  if (isApiKey(bare)) return { credential: { kind: "api-key", apiKey: bare }, from, fix };
  if (isJwt(bare)) return { credential: { kind: "access-token", accessToken: bare }, from, fix };
  const why = "The credential in this request is not a Cursor API key or token.";
  throw new GatewayError("not_authenticated", `${why} ${fix}`);
}

/** Limits of the cache below: its size, and how long after their last request callers stay in it. */
const MAX_CALLERS = 1_000;
const CALLER_AGE_MS = 60 * 60_000;

/** An LRU cache of accounts, keyed by a hash of the caller's credential. Idle ones expire. */
export function callerAccounts<Account>(open: (credential: string) => Account, clock: Clock) {
  // A map keeps the order of insertion, so the least recently used account comes first.
  const accounts = new Map<string, { account: Account; usedMs: number }>();
  return (credential: string): Account => {
    const nowMs = clock.now();
    const name = createHash("sha256").update(credential).digest("base64url");
    const known = accounts.get(name);
    const isKnown = known !== undefined && nowMs - known.usedMs < CALLER_AGE_MS;
    const account = isKnown ? known.account : open(credential);
    accounts.delete(name);
    accounts.set(name, { account, usedMs: nowMs });
    for (const [oldest, { usedMs }] of accounts) {
      if (accounts.size <= MAX_CALLERS && nowMs - usedMs < CALLER_AGE_MS) break;
      accounts.delete(oldest);
    }
    return account;
  };
}
