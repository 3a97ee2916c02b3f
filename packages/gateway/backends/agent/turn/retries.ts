import type { GatewayError } from "../../../turn/error.js";
import type { RequestedModel, StartContext } from "../../backend.js";
import { isShapeRefusal } from "../../cursor/errors.js";
import type { UpstreamFailure } from "../../cursor/failure.js";

/** If Cursor asks for a longer wait than this, the client gets the error together with the time to wait. */
const LONGEST_WAIT_MS = 10_000;

type NextAttempt =
  | { readonly type: "resume" }
  | { readonly type: "renew-token" }
  | { readonly type: "at-once" }
  | { readonly type: "other-shape"; readonly delayMs: number }
  | { readonly type: "later"; readonly attempt: number; readonly delayMs: number }
  | { readonly type: "none"; readonly error: GatewayError };

export interface RetriesDeps {
  readonly maxRetries: number;
  readonly retryPauseMs: number;
  /** Whether a run that failed like this should be retried at once, because it will go over another transport. */
  readonly goesAround: (error: GatewayError) => boolean;
  /** Whether it should be retried at once, because it will claim another client. */
  readonly givesWay?: (error: GatewayError) => boolean;
  readonly random: () => number;
}

interface FailedAttempt {
  readonly hasModelSpoken: boolean;
  readonly canResume: boolean;
  /** Whether the model has a name in another shape, and Cursor may have refused this one. */
  readonly isShapeInDoubt?: boolean;
}

/** Decides whether a turn is retried: only where nothing is said or done twice. */
export class Retries {
  readonly #deps: RetriesDeps;
  #attempt = 0;
  #hasRenewed = false;
  #hasResumed = false;
  #refusedShape: GatewayError | undefined;

  constructor(deps: RetriesDeps) {
    this.#deps = deps;
  }

  after(error: GatewayError, { hasModelSpoken, canResume, isShapeInDoubt = false }: FailedAttempt): NextAttempt {
    const { maxRetries, retryPauseMs, goesAround, givesWay, random } = this.#deps;
    if (hasModelSpoken) {
      if (this.#hasResumed) return { type: "none", error: error.with({ wasRetried: true }) };
      if (!error.isRetryable || !canResume) return { type: "none", error };
      this.#hasResumed = true;
      return { type: "resume" };
    }
    if (isShapeInDoubt) {
      // When both shapes fail, the shape was not the cause: the first error names it.
      if (this.#refusedShape !== undefined)
        return { type: "none", error: this.#refusedShape.with({ wasRetried: true }) };
      this.#refusedShape = error;
      // An error that looks like a limit may be one.
      return { type: "other-shape", delayMs: error.isRetryable ? backoffMs(retryPauseMs, 0, random()) : 0 };
    }
    if (error.kind === "authentication" && !this.#hasRenewed) {
      this.#hasRenewed = true;
      return { type: "renew-token" };
    }
    if (goesAround(error)) return { type: "at-once" };
    const { isRetryable, retryAfterMs = 0 } = error;
    const isWorthIt = isRetryable && this.#attempt < Math.min(maxRetries, error.maxRetries);
    if (!isWorthIt || retryAfterMs > LONGEST_WAIT_MS) {
      if (givesWay?.(error) === true) return { type: "at-once" };
      return { type: "none", error: this.#attempt > 0 ? error.with({ wasRetried: true }) : error };
    }
    const delayMs = Math.max(retryAfterMs, backoffMs(retryPauseMs, this.#attempt++, random()));
    return { type: "later", attempt: this.#attempt, delayMs };
  }
}

/** The first pause doubling to a minute, plus up to a fifth, as Cursor's own CLI does (docs/protocol/wire.md, timing). */
function backoffMs(firstMs: number, attempt: number, random: number): number {
  return Math.min(firstMs * 2 ** attempt, 60_000) * (1 + 0.2 * random);
}

/** Which shape of its model's name an exchange uses: the first, and the second once the first may have been refused. */
export class ModelShapes {
  isInDoubt = false;
  readonly #requested: RequestedModel;
  readonly #onShape: StartContext["onShape"];
  #at = 0;
  #hasLearned = false;

  constructor(requested: RequestedModel, onShape: StartContext["onShape"]) {
    this.#requested = requested;
    this.#onShape = onShape;
  }

  begin(): RequestedModel {
    this.isInDoubt = false;
    const shape = this.#requested.shapes?.[this.#at];
    return shape === undefined ? this.#requested : { ...this.#requested, ...shape };
  }

  onFailure(failure: UpstreamFailure, error: GatewayError): void {
    this.isInDoubt = (this.#requested.shapes?.length ?? 0) > 1 && isShapeRefusal(failure, error);
  }

  takeOther(): void {
    this.#at = 1;
  }

  /** Called when the model has spoken. Reports the other shape once if it took that one. */
  onSpoken(): void {
    const worked = this.#at === 0 || this.#hasLearned ? undefined : this.#requested.shapes?.[this.#at];
    if (worked === undefined) return;
    this.#hasLearned = true;
    this.#onShape?.(worked, true);
  }

  /** Called when no shape has worked. An error without a reason may have been a limit, and says little about them. */
  onAllRefused(error: GatewayError): void {
    this.#onShape?.(undefined, !error.isUnexplained);
  }
}
