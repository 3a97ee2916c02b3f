import type { TurnEndedUpdate } from "../../gen/agent_v1_pb.js";
import type { Usage } from "../../turn/event.js";
import type { Turn } from "../../turn/turn.js";
import { estimatedUsage, measuredUsage } from "./usage.js";

/**
 * What each reply of a turn reports. Cursor counts a turn once, at its end; a reply that ends in calls reports an estimate,
 * and the last one reports the turn less what was reported before, so that the sum is Cursor's own figure.
 */
export class TurnMeter {
  readonly #turn: Turn;
  #saidBytes = 0;
  #contextTokens = 0;
  #measured: Usage | undefined;
  readonly #reported = { inputTokens: 0, outputTokens: 0 };

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  said(bytes: number): void {
    this.#saidBytes += bytes;
  }

  context(tokens: number): void {
    if (tokens > 0) this.#contextTokens = tokens;
  }

  ended(update: TurnEndedUpdate): void {
    this.#measured = measuredUsage(update);
  }

  atPause(): Usage {
    const guess = estimatedUsage(this.#turn, this.#saidBytes);
    const usage = { ...guess, inputTokens: this.#contextTokens || guess.inputTokens };
    this.#saidBytes = 0;
    this.#reported.inputTokens += usage.inputTokens;
    this.#reported.outputTokens += usage.outputTokens;
    return usage;
  }

  final(): Usage {
    if (this.#measured === undefined) return estimatedUsage(this.#turn, this.#saidBytes);
    return {
      ...this.#measured,
      inputTokens: Math.max(0, this.#measured.inputTokens - this.#reported.inputTokens),
      outputTokens: Math.max(0, this.#measured.outputTokens - this.#reported.outputTokens),
    };
  }
}
