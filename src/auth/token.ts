import type { Clock } from "../clock.js";
import type { Network } from "../network/index.js";
import { GatewayError } from "../turn/error.js";
import { expiryMs } from "./claims.js";
import { accountOf, type FoundCredential } from "./credential.js";
import { RenewedTokens } from "./renewed-tokens.js";
import { exchangeKey, renewSession } from "./sign-in.js";

/** A token from a key lasts an hour; with less life than this it is renewed first. */
const RENEW_BEFORE_MS = 300_000;
/** A session lasts sixty days, and whoever renews late may find the door closed. */
const RENEW_SESSION_BEFORE_MS = 7 * 24 * 60 * 60_000;

export type AuthState = "authenticated" | "not_authenticated" | "refused" | "unchecked";

/** Where the access token of an account comes from. */
export interface TokenSource {
  /** Names the account without telling anything of its secret; sessions and stored state belong to it. */
  readonly account: string;
  readonly state: AuthState;
  /** When the present token ends, if there is one and it says so. */
  readonly expiresMs: number | undefined;
  get(signal: AbortSignal): Promise<string>;
  /** After upstream refused `token`: a newer one, or an error that says what to do. */
  renew(token: string, signal: AbortSignal): Promise<string>;
}

interface TokenDeps {
  readonly backendUrl: string;
  readonly clock: Clock;
  readonly network: Pick<Network, "fetch">;
  /** A session was renewed. */
  readonly onSession?: (accessToken: string, old: string | undefined) => void;
}

export function tokensFrom(found: FoundCredential, { backendUrl, clock, network, onSession }: TokenDeps): TokenSource {
  const { credential } = found;
  const account = accountOf(credential);
  switch (credential.kind) {
    case "api-key":
      return new RenewedTokens({
        account,
        clock,
        renewBeforeMs: RENEW_BEFORE_MS,
        renew: () => exchangeKey(credential.apiKey, { backendUrl, network, found }),
      });
    case "session":
      if (!credential.canRenew) return fixedToken(credential.accessToken, account, found, clock);
      return new RenewedTokens({
        account,
        clock,
        first: credential.accessToken,
        renewBeforeMs: RENEW_SESSION_BEFORE_MS,
        renew: (held) => renewSession(held ?? credential.refreshToken, { backendUrl, network, found }),
        onRenewed: onSession,
      });
    case "access-token":
      return fixedToken(credential.accessToken, account, found, clock);
    case "unusable":
      return noTokens(account, new GatewayError("not_authenticated", `${credential.why} ${found.fix}`));
  }
}

function noTokens(account: string, error: GatewayError): TokenSource {
  const refuse = () => Promise.reject(error);
  return { account, state: "not_authenticated", expiresMs: undefined, get: refuse, renew: refuse };
}

/** A token used as it is: nothing can renew it. */
function fixedToken(token: string, account: string, found: FoundCredential, clock: Clock): TokenSource {
  let isRefused = false;
  const endsMs = expiryMs(token);
  return {
    account,
    get state() {
      return isRefused ? "refused" : "unchecked";
    },
    expiresMs: endsMs,
    async get() {
      return token;
    },
    async renew() {
      isRefused = true;
      const isOver = endsMs !== undefined && endsMs <= clock.now();
      const why = isOver ? ` It ended on ${new Date(endsMs).toISOString()}.` : "";
      throw new GatewayError("not_authenticated", `Cursor refused the token from ${found.from}.${why} ${found.fix}`);
    },
  };
}
