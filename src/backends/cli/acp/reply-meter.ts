import { estimatedUsage } from "../../../turn/estimate.js";
import type { Usage } from "../../../turn/event.js";

/** What each reply of a turn has taken, by a guess: over ACP nobody counts. */
export class ReplyMeter {
  readonly #inputTokens: number;
  #saidCharacters = 0;
  #earlier: { readonly inputTokens: number; readonly outputTokens: number } = { inputTokens: 0, outputTokens: 0 };

  constructor(inputTokens: number) {
    this.#inputTokens = inputTokens;
  }

  said(characters: number): void {
    this.#saidCharacters += characters;
  }

  get reply(): Usage {
    return estimatedUsage(this.#inputTokens, this.#saidCharacters);
  }

  /** All replies together. */
  get turn(): Usage {
    const { reply } = this;
    const { inputTokens, outputTokens } = this.#earlier;
    return {
      ...reply,
      inputTokens: inputTokens + reply.inputTokens,
      outputTokens: outputTokens + reply.outputTokens,
    };
  }

  /** The next reply begins. */
  next(): void {
    this.#earlier = this.turn;
    this.#saidCharacters = 0;
  }
}
