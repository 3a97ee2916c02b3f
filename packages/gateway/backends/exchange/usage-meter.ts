import { estimatedUsage } from "../../turn/estimate.js";
import { type Usage, usageInContext, usageOfLastCall } from "../../turn/event.js";

/**
 * Computes the usage that each reply of a turn reports, and the usage of the turn. Cursor counts a turn once, at its end, and
 * sums the input of all its model calls (docs/protocol/live-behaviour.md); a reply reports the input of its own last model
 * call. The output of the last reply is the turn's less what was reported before, so that the sum is Cursor's own figure.
 */
export class UsageMeter {
  /** The model's input: our estimate until a checkpoint gives it. */
  #contextTokens: number;
  #isContextKnown = false;
  #modelCalls = 0;
  #saidCharacters = 0;
  /** The part of the input that the model has read before: our estimate until Cursor counts the turn. */
  #cachedTokens: number;
  #measured: Usage | undefined;
  /** Whether nothing has come since the last reply: all that is known has been reported. */
  #isPaused = false;
  readonly #reported = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };

  constructor(estimatedInputTokens: number, cachedTokens = 0) {
    this.#contextTokens = estimatedInputTokens;
    this.#cachedTokens = cachedTokens;
  }

  /** The model's input by the newest checkpoint; 0 if none has counted it. */
  get countedTokens(): number {
    return this.#isContextKnown ? this.#contextTokens : 0;
  }

  said(characters: number): void {
    this.#saidCharacters += characters;
    this.#isPaused = false;
  }

  modelCall(count = 1): void {
    this.#modelCalls += count;
    this.#isPaused = false;
  }

  /** From a checkpoint. If it counts the newest answer too, a client that compacts by it does so early, and never too late. */
  context(tokens: number): void {
    if (tokens <= 0) return;
    this.#contextTokens = tokens;
    this.#isContextKnown = true;
  }

  /** Takes Cursor's count for the whole turn; undefined if it has none. */
  measured(turn: Usage | undefined): void {
    this.#measured = turn;
  }

  atPause(): Usage {
    const usage = this.#estimate();
    this.#cachedTokens = this.#contextTokens;
    this.#saidCharacters = 0;
    this.#isPaused = true;
    this.#reported.inputTokens += usage.inputTokens;
    this.#reported.outputTokens += usage.outputTokens;
    this.#reported.cacheReadTokens += usage.cacheReadTokens;
    return usage;
  }

  soFar(): { usage: Usage; turn: Usage } {
    return { usage: this.final(), turn: this.wholeTurn() };
  }

  final(): Usage {
    const turn = this.#measured;
    if (turn === undefined) return this.#estimate();
    // The input of a turn with one model call is less than the context in use at its end.
    const usage = this.#isContextKnown
      ? usageInContext(turn, this.#contextTokens)
      : usageOfLastCall(turn, this.#modelCalls, this.#contextTokens);
    return { ...usage, outputTokens: Math.max(0, turn.outputTokens - this.#reported.outputTokens) };
  }

  wholeTurn(): Usage {
    if (this.#measured !== undefined) return this.#measured;
    const last = this.final();
    if (this.#isPaused) return { ...last, ...this.#reported };
    return {
      ...last,
      inputTokens: last.inputTokens + this.#reported.inputTokens,
      outputTokens: last.outputTokens + this.#reported.outputTokens,
      cacheReadTokens: last.cacheReadTokens + this.#reported.cacheReadTokens,
    };
  }

  #estimate(): Usage {
    return estimatedUsage(this.#contextTokens, this.#saidCharacters, this.#cachedTokens);
  }
}
