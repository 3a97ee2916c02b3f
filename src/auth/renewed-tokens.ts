import type { Clock } from "../clock.js";
import { GatewayError } from "../turn/error.js";
import { expiryMs } from "./claims.js";
import type { TokenSource } from "./token.js";

/** For tokens that do not tell their own end. */
const ASSUMED_LIFE_MS = 600_000;
/** Pauses between the tries of one renewal; requests that have no token wait meanwhile. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 4_000];
/** Pause after a renewal that failed whole, while the old token still works. */
const REST_MS = 30_000;

interface RenewedTokensDeps {
  readonly account: string;
  readonly clock: Clock;
  /** A token that is there from the start. */
  readonly first?: string;
  readonly renewBeforeMs: number;
  /** One try. An error of the kind `authentication` is Cursor's last word, a retryable one is not. */
  readonly renew: (held: string | undefined) => Promise<string>;
  readonly onRenewed?: (token: string, old: string | undefined) => void;
}

interface Renewal {
  readonly done: Promise<string>;
  /** Settles when the first try has, however it went. */
  readonly tried: Promise<void>;
}

/** Tokens that are renewed before they end, one renewal at a time, whoever asks. */
export function renewedTokens(deps: RenewedTokensDeps): TokenSource {
  const { account, clock, first, renewBeforeMs, onRenewed } = deps;
  const hold = (token: string) => ({
    token,
    expiresMs: expiryMs(token) ?? clock.now() + renewBeforeMs + ASSUMED_LIFE_MS,
  });
  let held = first === undefined ? undefined : hold(first);
  let renewal: Renewal | undefined;
  let refusal: GatewayError | undefined;
  let isProven = false;
  let restUntilMs = 0;

  const renewThroughTrouble = async (onTried: () => void): Promise<string> => {
    for (let failures = 0; ; failures++) {
      try {
        return await deps.renew(held?.token);
      } catch (thrown) {
        const error = GatewayError.from(thrown);
        onTried();
        const pauseMs = PAUSES_MS[failures];
        // Who has no token yet and finds nobody there is told at once; who had one sits the trouble out.
        const isWorthIt = error.isRetryable && (held !== undefined || error.code !== "upstream_unreachable");
        if (!isWorthIt || pauseMs === undefined) throw error;
        await clock.sleep(pauseMs, new AbortController().signal);
      }
    }
  };

  const startRenewal = (): Renewal => {
    let onTried = () => {};
    const tried = new Promise<void>((resolve) => {
      onTried = resolve;
    });
    const done = renewThroughTrouble(onTried)
      .then(
        (token) => {
          onRenewed?.(token, held?.token);
          held = hold(token);
          isProven = true;
          refusal = undefined;
          return token;
        },
        (error: GatewayError) => {
          if (error.kind === "authentication") refusal = error;
          else restUntilMs = clock.now() + REST_MS;
          throw error;
        },
      )
      .finally(() => {
        renewal = undefined;
        onTried();
      });
    done.catch(() => {}); // whoever waits for it is told; nobody has to
    return { done, tried };
  };

  const renewNow = () => {
    renewal ??= startRenewal();
    return renewal;
  };

  return {
    account,
    get state() {
      if (refusal !== undefined) return "refused";
      return isProven ? "authenticated" : "unchecked";
    },
    get expiresMs() {
      return held?.expiresMs;
    },
    async get(signal) {
      const nowMs = clock.now();
      if (held === undefined || held.expiresMs <= nowMs) {
        if (refusal !== undefined) throw refusal; // final: asking again would only tell Cursor the same
        return unlessLeft(renewNow().done, signal);
      }
      const isDue = held.expiresMs - nowMs < renewBeforeMs && refusal === undefined && nowMs >= restUntilMs;
      // Trouble with its renewal does not take away a token that is still good.
      if (isDue) await unlessLeft(renewNow().tried, signal);
      return held.token;
    },
    async renew(token, signal) {
      if (held !== undefined && held.token !== token) return held.token; // somebody else has renewed it already
      if (refusal !== undefined) throw refusal;
      return unlessLeft(renewNow().done, signal);
    },
  };
}

/** One renewal serves everybody who waits for it, so a caller that leaves only stops waiting. */
function unlessLeft<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new GatewayError("canceled", "The client left while Curlew was signing in."));
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
