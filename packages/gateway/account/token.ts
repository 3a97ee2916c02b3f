import type { Network } from "../network/index.js";
import type { Clock } from "../system/clock.js";
import { inFlight } from "../system/turnstile.js";
import { GatewayError } from "../turn/error.js";
import { expiryMs } from "./claims.js";
import { accountOf, type FoundCredential } from "./credential.js";
import { RenewedTokens } from "./renewed-tokens.js";
import { exchangeKey, renewSession } from "./sign-in.js";

/** A token from a key lasts about an hour. Cursor's own CLI renews as early (docs/protocol/wire.md, sign-in). */
const RENEW_BEFORE_MS = 300_000;
/** A session lasts sixty days. It is renewed a week early, because an expired one cannot be renewed. */
const RENEW_SESSION_BEFORE_MS = 7 * 24 * 60 * 60_000;

export type AuthState = "authenticated" | "not_authenticated" | "refused" | "unchecked";

export interface TokenSource {
  /** Names the account without revealing anything of its secret. Sessions and stored state belong to it. */
  readonly account: string;
  readonly state: AuthState;
  /** The expiry of the current token, if known. */
  readonly expiresMs: number | undefined;
  /** A token that need not be renewed first, if the source holds one. */
  current(): string | undefined;
  /** A valid token, renewed first if that is due. @throws GatewayError without one, with what to do. */
  get(signal: AbortSignal): Promise<string>;
  /** A newer token than the one that the upstream refused. @throws GatewayError without one, with what to do. */
  renew(token: string, signal: AbortSignal): Promise<string>;
}

interface TokenDeps {
  readonly backendUrl: string;
  readonly clock: Clock;
  readonly network: Pick<Network, "fetch">;
  readonly onSession?: (accessToken: string, old: string | undefined) => void;
  /** Called when the renewal of a token has ended, with or without a new token. */
  readonly onRenewal?: (isRenewed: boolean) => void;
}

export function tokensFrom(found: FoundCredential, deps: TokenDeps): TokenSource {
  const { backendUrl, clock, network, onSession, onRenewal } = deps;
  const { credential } = found;
  const account = accountOf(credential);
  const signIn = { backendUrl, network, found };
  switch (credential.kind) {
    case "api-key": {
      const renew = () => exchangeKey(credential.apiKey, signIn);
      return new RenewedTokens({ account, clock, renewBeforeMs: RENEW_BEFORE_MS, renew, onRenewal });
    }
    case "session":
      if (!credential.canRenew) return fixedToken(credential.accessToken, account, found, clock);
      return new RenewedTokens({
        account,
        clock,
        first: credential.accessToken,
        renewBeforeMs: RENEW_SESSION_BEFORE_MS,
        renew: (held) => renewSession(held ?? credential.refreshToken, signIn),
        onRenewed: onSession,
        onRenewal,
      });
    case "access-token":
      return fixedToken(credential.accessToken, account, found, clock);
    case "unusable": {
      const refuse = async () => {
        throw new GatewayError("not_authenticated", `${credential.why} ${found.fix}`);
      };
      const current = () => undefined;
      return { account, state: "not_authenticated", expiresMs: undefined, current, get: refuse, renew: refuse };
    }
  }
}

function fixedToken(token: string, account: string, found: FoundCredential, clock: Clock): TokenSource {
  let isRefused = false;
  const endsMs = expiryMs(token);
  return {
    account,
    get state() {
      return isRefused ? "refused" : "unchecked";
    },
    expiresMs: endsMs,
    current: () => token,
    async get() {
      return token;
    },
    async renew() {
      isRefused = true;
      const isOver = endsMs !== undefined && endsMs <= clock.now();
      const why = isOver ? ` It expired on ${new Date(endsMs).toISOString()}.` : "";
      throw new GatewayError("not_authenticated", `Cursor refused the token from ${found.from}.${why} ${found.fix}`);
    },
  };
}

/** Calls `reload` when Cursor refuses the current credential. It returns undefined if nothing has changed. */
export function reloadedTokens(first: TokenSource, reload: () => Promise<TokenSource | undefined>): TokenSource {
  let present = first;
  const findsOther = inFlight(async (): Promise<boolean> => {
    const next = await reload();
    if (next !== undefined) present = next;
    return next !== undefined;
  });

  const orFromOther = async (ask: (tokens: TokenSource) => Promise<string>, signal: AbortSignal): Promise<string> => {
    const asked = present;
    try {
      return await ask(asked);
    } catch (thrown) {
      const isRefused = GatewayError.from(thrown).kind === "authentication";
      const isReloaded = present !== asked; // for another request
      if (!isRefused || !(isReloaded || (await findsOther()))) throw thrown;
      return present.get(signal);
    }
  };

  return {
    get account() {
      return present.account;
    },
    get state() {
      return present.state;
    },
    get expiresMs() {
      return present.expiresMs;
    },
    current: () => present.current(),
    get: (signal) => orFromOther((tokens) => tokens.get(signal), signal),
    renew: (token, signal) => orFromOther((tokens) => tokens.renew(token, signal), signal),
  };
}
