import type { TurnEndedUpdate } from "../../gen/agent_v1_pb.js";
import { estimatedUsage } from "../../turn/estimate.js";
import type { Usage } from "../../turn/event.js";
import { measuredUsage } from "./usage.js";

/**
 * What each reply of a turn reports. Cursor counts a turn once, at its end; a reply that ends in calls reports an estimate,
 * and the last one reports the turn less what was reported before, so that the sum is Cursor's own figure.
 */
export class TurnMeter {
  /** What the model reads: our guess until a checkpoint tells it. */
  #inputTokens: number;
  #saidCharacters = 0;
  #measured: Usage | undefined;
  readonly #reported = { inputTokens: 0, outputTokens: 0 };

  constructor(estimatedInputTokens: number) {
    this.#inputTokens = estimatedInputTokens;
  }

  said(characters: number): void {
    this.#saidCharacters += characters;
  }

  context(tokens: number): void {
    if (tokens > 0) this.#inputTokens = tokens;
  }

  ended(update: TurnEndedUpdate): void {
    this.#measured = measuredUsage(update);
  }

  atPause(): Usage {
    const usage = estimatedUsage(this.#inputTokens, this.#saidCharacters);
    this.#saidCharacters = 0;
    this.#reported.inputTokens += usage.inputTokens;
    this.#reported.outputTokens += usage.outputTokens;
    return usage;
  }

  final(): Usage {
    if (this.#measured === undefined) return estimatedUsage(this.#inputTokens, this.#saidCharacters);
    const inputTokens = Math.max(0, this.#measured.inputTokens - this.#reported.inputTokens);
    return {
      ...this.#measured,
      inputTokens,
      outputTokens: Math.max(0, this.#measured.outputTokens - this.#reported.outputTokens),
      cacheReadTokens: Math.min(this.#measured.cacheReadTokens, inputTokens),
    };
  }

  /** All replies together. */
  wholeTurn(): Usage {
    if (this.#measured !== undefined) return this.#measured;
    const last = this.final();
    return {
      ...last,
      inputTokens: last.inputTokens + this.#reported.inputTokens,
      outputTokens: last.outputTokens + this.#reported.outputTokens,
    };
  }
}
