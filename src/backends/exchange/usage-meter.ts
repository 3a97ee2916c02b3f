import { estimatedUsage } from "../../turn/estimate.js";
import type { Usage } from "../../turn/event.js";
import { usageInContext, usageOfLastCall } from "../../turn/reply-usage.js";

/**
 * What each reply of a turn reports, and what the turn took. Cursor counts a turn once, at its end, and adds up what all of its
 * model calls have read; a reply reports what the last one of its own has read. The output of the last reply is the turn's less
 * what was reported before, so that the sum is Cursor's own figure.
 */
export class UsageMeter {
  /** What the model reads: our guess until a checkpoint tells it. */
  #contextTokens: number;
  #isContextTold = false;
  #modelCalls = 0;
  #saidCharacters = 0;
  #measured: Usage | undefined;
  readonly #reported = { inputTokens: 0, outputTokens: 0 };

  constructor(estimatedInputTokens: number) {
    this.#contextTokens = estimatedInputTokens;
  }

  said(characters: number): void {
    this.#saidCharacters += characters;
  }

  /** The model was asked: once more, or so often. */
  modelCall(count = 1): void {
    this.#modelCalls += count;
  }

  /**
   * What a checkpoint says is in use. Whether that counts the newest answer too is not known; where it does, a client that
   * compacts by it does so a little early, and never too late.
   */
  context(tokens: number): void {
    if (tokens <= 0) return;
    this.#contextTokens = tokens;
    this.#isContextTold = true;
  }

  /** What Cursor counted for the whole turn; undefined when it does not say. */
  measured(turn: Usage | undefined): void {
    this.#measured = turn;
  }

  /** Of the reply that ends here; the next begins. */
  atPause(): Usage {
    const usage = estimatedUsage(this.#contextTokens, this.#saidCharacters);
    this.#saidCharacters = 0;
    this.#reported.inputTokens += usage.inputTokens;
    this.#reported.outputTokens += usage.outputTokens;
    return usage;
  }

  /** Of this reply and of the whole turn, whether or not they are at their end. */
  soFar(): { usage: Usage; turn: Usage } {
    return { usage: this.final(), turn: this.wholeTurn() };
  }

  final(): Usage {
    const turn = this.#measured;
    if (turn === undefined) return estimatedUsage(this.#contextTokens, this.#saidCharacters);
    // A turn of one model call has read less in all than it has in use at its end.
    const usage = this.#isContextTold
      ? usageInContext(turn, this.#contextTokens)
      : usageOfLastCall(turn, this.#modelCalls, this.#contextTokens);
    return { ...usage, outputTokens: Math.max(0, turn.outputTokens - this.#reported.outputTokens) };
  }

  /** All replies together, and all model calls. */
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
