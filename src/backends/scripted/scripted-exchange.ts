import type { ToolResult } from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import type { Batch, TurnEvents } from "../../turn/event.js";
import type { Turn } from "../../turn/turn.js";
import type { CloseReason, Exchange, StartContext } from "../backend.js";

export type ScriptStep = Batch | { waitFor: () => Promise<unknown> } | { fail: GatewayError };

export class ScriptedExchange implements Exchange, AsyncIterator<Batch, undefined> {
  readonly turn: Turn;
  readonly context: StartContext;
  readonly answers: ToolResult[] = [];
  /** Resolves with the reason of the first `close`, also when that came needlessly after the end. */
  readonly closed: Promise<CloseReason>;
  closedWith: CloseReason | undefined;
  /** How many batches were taken. */
  pulls = 0;
  readonly #steps: Iterator<ScriptStep>;
  #resolveClosed: (reason: CloseReason) => void = () => {};
  #hasEnded = false;

  constructor(turn: Turn, context: StartContext, steps: Iterable<ScriptStep>) {
    this.turn = turn;
    this.context = context;
    this.#steps = steps[Symbol.iterator]();
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  events(): TurnEvents {
    return { [Symbol.asyncIterator]: () => this };
  }

  answer(result: ToolResult): void {
    this.answers.push(result);
  }

  close(reason: CloseReason): void {
    this.closedWith ??= reason;
    this.#resolveClosed(reason);
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    while (!this.#hasEnded) {
      if (this.closedWith !== undefined) return this.#endClosed(this.closedWith);
      const { value: step, done } = this.#steps.next();
      if (done) {
        this.#hasEnded = true;
      } else if ("fail" in step) {
        this.#hasEnded = true;
        throw step.fail;
      } else if ("waitFor" in step) {
        await Promise.race([step.waitFor(), this.closed]);
      } else {
        this.pulls++;
        return { value: step, done: false };
      }
    }
    return { value: undefined, done: true };
  }

  #endClosed(reason: CloseReason): IteratorResult<Batch, undefined> {
    this.#hasEnded = true;
    switch (reason) {
      case "client-left":
      case "superseded":
        throw new GatewayError("canceled", "The reply was given up before its end.");
      case "shutdown":
        throw new GatewayError("shutting_down", "Curlew is stopping; try again in a moment.");
      case "limit-reached":
        return { value: undefined, done: true };
    }
  }
}
