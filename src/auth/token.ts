import type { Clock } from "../clock.js";
import { GatewayError } from "../turn/error.js";

/** A token with less life than this is renewed first. */
const RENEW_BEFORE_MS = 300_000;
/** For tokens that do not tell their own end. */
const ASSUMED_LIFE_MS = 600_000;
const EXCHANGE_TIMEOUT_MS = 20_000;

export type AuthState = "authenticated" | "not_authenticated" | "refused" | "unchecked";

/** Where the access token of the one account comes from. */
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

interface KeySourceDeps {
  apiKey: string;
  backendUrl: string;
  clock: Clock;
  account: string;
}

/** Exchanges a long-lived API key for short-lived access tokens, one exchange at a time. */
export function tokensFromApiKey({ apiKey, backendUrl, clock, account }: KeySourceDeps): TokenSource {
  let held: { token: string; expiresMs: number } | undefined;
  let pending: Promise<string> | undefined;
  let refusal: GatewayError | undefined;

  const exchange = () => {
    pending ??= exchangeKey(apiKey, backendUrl)
      .then(
        (token) => {
          held = { token, expiresMs: expiryMs(token) ?? clock.now() + RENEW_BEFORE_MS + ASSUMED_LIFE_MS };
          refusal = undefined;
          return token;
        },
        (error: GatewayError) => {
          if (error.kind === "authentication") refusal = error;
          throw error;
        },
      )
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };

  return {
    account,
    get state() {
      if (refusal !== undefined) return "refused";
      return held === undefined ? "unchecked" : "authenticated";
    },
    get expiresMs() {
      return held?.expiresMs;
    },
    async get(signal) {
      if (refusal !== undefined) throw refusal; // final: asking again would only tell Cursor the same bad key
      const nowMs = clock.now();
      if (held !== undefined && held.expiresMs - nowMs >= RENEW_BEFORE_MS) return held.token;
      try {
        return await unlessLeft(exchange(), signal);
      } catch (thrown) {
        const error = GatewayError.from(thrown);
        // A passing trouble does not take away a token that is still good.
        if (error.kind !== "authentication" && held !== undefined && held.expiresMs > nowMs) return held.token;
        throw error;
      }
    },
    async renew(token, signal) {
      if (held !== undefined && held.token !== token) return held.token; // somebody else has renewed it already
      return unlessLeft(exchange(), signal);
    },
  };
}

/** A token used as it is: nothing can renew it. */
export function tokensFromAccessToken({ token, account }: { token: string; account: string }): TokenSource {
  let isRefused = false;
  const expiresMs = expiryMs(token);
  return {
    account,
    get state() {
      return isRefused ? "refused" : "unchecked";
    },
    expiresMs,
    async get() {
      return token;
    },
    async renew() {
      isRefused = true;
      throw new GatewayError(
        "not_authenticated",
        "Cursor refused the token in CURSOR_AUTH_TOKEN. Set a fresh one, or use CURSOR_API_KEY, which renews itself.",
      );
    },
  };
}

async function exchangeKey(apiKey: string, backendUrl: string): Promise<string> {
  let response: Response;
  try {
    response = await fetch(new URL("/auth/exchange_user_api_key", backendUrl), {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: "{}",
      redirect: "error", // the key goes nowhere else
      signal: AbortSignal.timeout(EXCHANGE_TIMEOUT_MS),
    });
  } catch (cause) {
    const text = `Cursor cannot be reached at ${new URL(backendUrl).origin} to sign in. Check the network, then try again.`;
    throw new GatewayError("upstream_unreachable", text, { cause, isRetryable: true });
  }
  if (!response.ok) throw await refusedExchange(response);
  const body: unknown = await response.json().catch(() => undefined);
  const token = typeof body === "object" && body !== null ? Reflect.get(body, "accessToken") : undefined;
  if (typeof token !== "string" || token === "") {
    throw new GatewayError("upstream_error", "Cursor's sign-in answered without a token. Try again.", {
      isRetryable: true,
    });
  }
  return token;
}

async function refusedExchange(response: Response): Promise<GatewayError> {
  const body = await response.text().catch(() => "");
  if (response.status === 401 || response.status === 403) {
    // An HTML page is a wall in front of Cursor, not Cursor's word on the key.
    if (/<html|<!doctype/i.test(body)) {
      return new GatewayError("upstream_error", "Something between Curlew and Cursor blocks the sign-in.", {
        isRetryable: true,
      });
    }
    const why = body.includes("sign_in_policy_violation")
      ? "your organisation's sign-in policy forbids it"
      : "it is wrong, revoked or expired";
    const text = `Cursor refused the API key: ${why}. Make a new key in Cursor's dashboard and set CURSOR_API_KEY.`;
    return new GatewayError("not_authenticated", text);
  }
  if (response.status === 429) {
    return new GatewayError("rate_limit_exceeded", "Cursor asks to sign in less often. Wait a moment.", {
      isRetryable: true,
    });
  }
  return new GatewayError(
    "upstream_error",
    `Cursor's sign-in answered with HTTP status ${response.status}. Try again.`,
    {
      isRetryable: true,
    },
  );
}

/** The end of a JWT's life, from its own claim; undefined when the token does not say. */
export function expiryMs(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const seconds = typeof claims === "object" && claims !== null ? Reflect.get(claims, "exp") : undefined;
    return typeof seconds === "number" ? seconds * 1_000 : undefined;
  } catch {
    return undefined;
  }
}

/** One exchange serves everybody who waits for it, so a caller that leaves only stops waiting. */
function unlessLeft<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new GatewayError("canceled", "The client left while Curlew was signing in."));
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
