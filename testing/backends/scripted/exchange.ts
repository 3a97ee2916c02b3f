import type {
  Carriage,
  ClientCall,
  CloseReason,
  Exchange,
  StartContext,
} from "../../../packages/gateway/backends/backend.js";
import type { SentResult } from "../../../packages/gateway/turn/blocks.js";
import { GatewayError } from "../../../packages/gateway/turn/error.js";
import { estimatedUsage } from "../../../packages/gateway/turn/estimate.js";
import type { Batch, CheckpointEvent, TurnEvents, Usage } from "../../../packages/gateway/turn/event.js";
import type { SentTurn } from "../../../packages/gateway/turn/turn.js";

export type ScriptStep = Batch | { waitFor: () => Promise<unknown> } | { fail: GatewayError };

export class ScriptedExchange implements Exchange, AsyncIterator<Batch, undefined> {
  readonly turn: SentTurn;
  readonly context: StartContext;
  readonly answers: SentResult[] = [];
  readonly meter = { runs: 1, retries: 0, sentBytes: 0, receivedBytes: 0 };
  /** Resolves with the reason of the first `close`, even of one after the end. */
  readonly closed: Promise<CloseReason>;
  closedWith: CloseReason | undefined;
  /** How many batches were read. */
  pulls = 0;
  readonly #steps: Iterator<ScriptStep>;
  #resolveClosed: (reason: CloseReason) => void = () => {};
  readonly #calls = new Map<string, { id: string; upstreamId: string; name: string; input: string }>();
  #saidCharacters = 0;
  #hasEnded = false;
  /**
   * A finish ends a reply. Batches after it belong to the next reply, but a wait or a failure still belongs to the old stream.
   */
  #isPaused = false;
  #upcoming: IteratorResult<ScriptStep> | undefined;

  constructor(turn: SentTurn, context: StartContext, steps: Iterable<ScriptStep>) {
    this.turn = turn;
    this.context = context;
    this.#steps = steps[Symbol.iterator]();
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  events(): TurnEvents {
    this.#isPaused = false;
    return { [Symbol.asyncIterator]: () => this };
  }

  get openCalls(): readonly ClientCall[] {
    return [...this.#calls.values()].filter(({ id }) => !this.answers.some(({ callId }) => callId === id));
  }

  carriage(_callId: string): Carriage {
    return "anything";
  }

  /** A script raises no warnings. */
  onWarning(): void {}

  answer(result: SentResult): void {
    this.answers.push(result);
  }

  usageSoFar(): { usage: Usage; turn: Usage } {
    const usage = estimatedUsage(this.context.estimatedTokens, this.#saidCharacters);
    return { usage, turn: usage };
  }

  onOver(callback: () => void): void {
    void this.closed.then(callback);
  }

  /** A script has no checkpoints while it is paused. */
  onLateCheckpoint(_callback: (checkpoint: CheckpointEvent) => void): void {}

  close(reason: CloseReason): void {
    this.closedWith ??= reason;
    this.#resolveClosed(reason);
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    while (!this.#hasEnded) {
      if (this.closedWith !== undefined && !this.#isPaused) return this.#endClosed(this.closedWith);
      this.#upcoming ??= this.#steps.next();
      const { value: step, done } = this.#upcoming;
      if (this.#isPaused && (done || Array.isArray(step))) break;
      this.#upcoming = undefined;
      if (done) {
        this.#hasEnded = true;
      } else if ("fail" in step) {
        this.#hasEnded = true;
        throw step.fail;
      } else if ("waitFor" in step) {
        await Promise.race([step.waitFor(), this.closed]);
      } else {
        this.pulls++;
        this.#note(step);
        return { value: step, done: false };
      }
    }
    return { value: undefined, done: true };
  }

  #note(batch: Batch): void {
    for (const event of batch) {
      if ("delta" in event) this.#saidCharacters += event.delta.length;
      if (event.type === "call")
        this.#calls.set(event.id, { id: event.id, upstreamId: event.id, name: event.name, input: "" });
      if (event.type === "call-input") {
        const call = this.#calls.get(event.id);
        if (call !== undefined) call.input += event.delta;
      }
      if (event.type === "finish") this.#isPaused = true;
    }
  }

  #endClosed(reason: CloseReason): IteratorResult<Batch, undefined> {
    this.#hasEnded = true;
    switch (reason) {
      case "client-left":
      case "stopped":
      case "superseded":
      case "lease-expired":
        throw new GatewayError("canceled", "The reply was given up before its end.");
      case "shutdown":
        throw new GatewayError("shutting_down", "Curlew is stopping; try again in a moment.");
      case "limit-reached":
        return { value: undefined, done: true };
    }
  }
}
