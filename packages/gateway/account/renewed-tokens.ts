import type { Clock } from "../system/clock.js";
import { unlessAborted } from "../turn/any-signal.js";
import { GatewayError } from "../turn/error.js";
import { expiryMs } from "./claims.js";
import type { AuthState, TokenSource } from "./token.js";

/** The assumed lifetime of tokens that do not state their expiry. */
const ASSUMED_LIFE_MS = 600_000;
/** The pauses between the attempts of one renewal. Requests without a token wait meanwhile. */
const pausesMs = [250, 500, 1_000, 2_000, 4_000, 4_000];
/** The pause after a failed renewal while the old token still works. */
const REST_MS = 30_000;

interface RenewedTokensDeps {
  readonly account: string;
  readonly clock: Clock;
  readonly first?: string;
  readonly renewBeforeMs: number;
  /** Makes one attempt. An error of the kind `authentication` is final, a retryable one is not. */
  readonly renew: (held: string | undefined) => Promise<string>;
  readonly onRenewed?: ((token: string, old: string | undefined) => void) | undefined;
  /** Called when a renewal has ended, with or without a new token. */
  readonly onRenewal?: ((isRenewed: boolean) => void) | undefined;
}

interface Renewal {
  readonly done: Promise<string>;
  /** Settles with the first attempt, whether it succeeded or not. */
  readonly tried: Promise<void>;
}

/** Tokens that are renewed before they expire, with one renewal at a time for all callers. */
export class RenewedTokens implements TokenSource {
  readonly account: string;
  readonly #deps: RenewedTokensDeps;
  #held: { readonly token: string; readonly expiresMs: number } | undefined;
  #renewal: Renewal | undefined;
  #refusal: GatewayError | undefined;
  #isProven = false;
  #restUntilMs = 0;

  constructor(deps: RenewedTokensDeps) {
    this.account = deps.account;
    this.#deps = deps;
    if (deps.first !== undefined) this.#hold(deps.first);
  }

  get state(): AuthState {
    if (this.#refusal !== undefined) return "refused";
    return this.#isProven ? "authenticated" : "unchecked";
  }

  get expiresMs(): number | undefined {
    return this.#held?.expiresMs;
  }

  current(): string | undefined {
    const nowMs = this.#deps.clock.now();
    const held = this.#held;
    if (held === undefined || held.expiresMs <= nowMs) return undefined;
    const isDue = held.expiresMs - nowMs < this.#deps.renewBeforeMs && nowMs >= this.#restUntilMs;
    return isDue && this.#refusal === undefined ? undefined : held.token;
  }

  async get(signal: AbortSignal): Promise<string> {
    const current = this.current();
    if (current !== undefined) return current;
    const held = this.#held;
    if (held === undefined || held.expiresMs <= this.#deps.clock.now()) return this.#renewed(signal);
    // A failed renewal does not invalidate a token that is still good.
    await unlessAborted(this.#renewing().tried, signal, left);
    return this.#held?.token ?? held.token;
  }

  async renew(token: string, signal: AbortSignal): Promise<string> {
    if (this.#held !== undefined && this.#held.token !== token) return this.#held.token; // already renewed by another request
    return this.#renewed(signal);
  }

  async #renewed(signal: AbortSignal): Promise<string> {
    if (this.#refusal !== undefined) throw this.#refusal; // final: another request would get the same refusal
    return unlessAborted(this.#renewing().done, signal, left);
  }

  #renewing(): Renewal {
    this.#renewal ??= this.#startRenewal();
    return this.#renewal;
  }

  #startRenewal(): Renewal {
    let onTried = () => {};
    const tried = new Promise<void>((resolve) => {
      onTried = resolve;
    });
    const done = this.#renewThroughTrouble(onTried)
      .then(
        (token) => this.#settle(token),
        (error: GatewayError) => this.#fail(error),
      )
      .finally(() => {
        this.#renewal = undefined;
        onTried();
      });
    done.catch(() => {}); // callers that await it get the error; it may have none
    return { done, tried };
  }

  async #renewThroughTrouble(onTried: () => void): Promise<string> {
    for (let failures = 0; ; failures++) {
      try {
        return await this.#deps.renew(this.#held?.token);
      } catch (thrown) {
        const error = GatewayError.from(thrown);
        onTried();
        const pauseMs = pausesMs[failures];
        // A caller without a token gets an unreachable network's error at once. With an old token, the renewal keeps trying.
        const isWorthIt = error.isRetryable && (this.#held !== undefined || error.code !== "upstream_unreachable");
        if (!isWorthIt || pauseMs === undefined) throw error;
        await this.#deps.clock.sleep(pauseMs, new AbortController().signal);
      }
    }
  }

  #settle(token: string): string {
    this.#deps.onRenewed?.(token, this.#held?.token);
    this.#deps.onRenewal?.(true);
    this.#hold(token);
    this.#isProven = true;
    this.#refusal = undefined;
    return token;
  }

  #fail(error: GatewayError): never {
    this.#deps.onRenewal?.(false);
    if (error.kind === "authentication") this.#refusal = error;
    else this.#restUntilMs = this.#deps.clock.now() + REST_MS;
    throw error;
  }

  #hold(token: string): void {
    const { clock, renewBeforeMs } = this.#deps;
    this.#held = { token, expiresMs: expiryMs(token) ?? clock.now() + renewBeforeMs + ASSUMED_LIFE_MS };
  }
}

function left(): GatewayError {
  return new GatewayError("canceled", "The client disconnected while Curlew was signing in.");
}
