import type { GatewayError } from "../../../turn/error.js";

/** A wait that Cursor asks for and that is longer than this is left to the client, which is told how long it is. */
const LONGEST_WAIT_MS = 10_000;

export type NextAttempt =
  | { readonly type: "resume" }
  | { readonly type: "renew-token" }
  | { readonly type: "at-once" }
  | { readonly type: "later"; readonly attempt: number; readonly delayMs: number }
  | { readonly type: "none"; readonly error: GatewayError };

export interface RetriesDeps {
  readonly maxRetries: number;
  /** Whether a run that failed so is to be tried again at once: it will go over another transport. */
  readonly goesAround: (error: GatewayError) => boolean;
  readonly random: () => number;
}

/** Decides whether a turn is tried again: only where nothing can be said or done twice. */
export class Retries {
  readonly #deps: RetriesDeps;
  #attempt = 0;
  #hasRenewed = false;
  #hasResumed = false;

  constructor(deps: RetriesDeps) {
    this.#deps = deps;
  }

  /** `canResume`: a checkpoint holds all that was said. */
  after(
    error: GatewayError,
    { hasModelSpoken, canResume }: Record<"hasModelSpoken" | "canResume", boolean>,
  ): NextAttempt {
    const { maxRetries, goesAround, random } = this.#deps;
    if (hasModelSpoken) {
      if (this.#hasResumed) return { type: "none", error: error.with({ wasRetried: true }) };
      if (!error.isRetryable || !canResume) return { type: "none", error };
      this.#hasResumed = true;
      return { type: "resume" };
    }
    if (error.kind === "authentication" && !this.#hasRenewed) {
      this.#hasRenewed = true;
      return { type: "renew-token" };
    }
    if (goesAround(error)) return { type: "at-once" };
    const { isRetryable, retryAfterMs = 0 } = error;
    const isWorthIt = isRetryable && this.#attempt < Math.min(maxRetries, error.maxRetries);
    if (!isWorthIt || retryAfterMs > LONGEST_WAIT_MS) {
      return { type: "none", error: this.#attempt > 0 ? error.with({ wasRetried: true }) : error };
    }
    const delayMs = Math.max(retryAfterMs, backoffMs(this.#attempt++, random()));
    return { type: "later", attempt: this.#attempt, delayMs };
  }
}

/** 1 s doubling to a minute, and up to a fifth more, as Cursor's own clients do. */
function backoffMs(attempt: number, random: number): number {
  return Math.min(1_000 * 2 ** attempt, 60_000) * (1 + 0.2 * random);
}
