import type { GatewayError } from "../../../turn/error.js";
import type { RequestedModel, StartContext } from "../../backend.js";
import { isShapeRefusal } from "../../cursor/errors.js";
import type { UpstreamFailure } from "../../cursor/failure.js";

/** Which shape of its model's name an exchange uses: the first, and the second once the first may have been refused. */
export class ModelShapes {
  /** Whether the attempt under way may have failed because of the shape. */
  isInDoubt = false;
  readonly #requested: RequestedModel;
  readonly #onShape: StartContext["onShape"];
  #at = 0;
  #hasLearned = false;

  constructor(requested: RequestedModel, onShape: StartContext["onShape"]) {
    this.#requested = requested;
    this.#onShape = onShape;
  }

  /** The model as the next attempt asks for it. */
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

  /** The model has spoken. If it is the other shape that has brought an answer, later runs of this exchange go on with it. */
  onSpoken(): void {
    const worked = this.#at === 0 || this.#hasLearned ? undefined : this.#requested.shapes?.[this.#at];
    if (worked === undefined) return;
    this.#hasLearned = true;
    this.#onShape?.(worked, true);
  }

  /** None of the shapes has worked. What may have been a limit says little about them. */
  onAllRefused(error: GatewayError): void {
    this.#onShape?.(undefined, !error.isRetryable);
  }
}
