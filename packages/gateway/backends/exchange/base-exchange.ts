import type { Clock } from "../../system/clock.js";
import type { SentResult } from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import type { CheckpointEvent, FinishReason, TurnEvents, Usage } from "../../turn/event.js";
import type { SentTurn } from "../../turn/turn.js";
import type { Carriage, ClientCall, CloseReason, Exchange, StartContext, UpstreamMeter } from "../backend.js";
import { closedBy } from "../closed.js";
import { ReplyWriter, type ReplyWriterDeps } from "./reply-writer.js";

/** The limit for text that waits for a reader where the upstream cannot be paused: far more than any answer. */
const MAX_HELD_CHARACTERS = 16 * 1024 * 1024;

/** More warnings than this say nothing new. */
const MAX_WARNINGS = 20;

/** The life cycle of an exchange, the same on every wire: it starts when it is first read, and it ends once. */
export abstract class BaseExchange implements Exchange {
  abstract readonly openCalls: readonly ClientCall[];
  readonly meter: UpstreamMeter = { runs: 0, retries: 0, sentBytes: 0, receivedBytes: 0 };
  protected readonly replies: ReplyWriter;
  protected isOver = false;
  protected brokenOffBy: GatewayError | undefined;
  #onOver: (() => void)[] = [];
  readonly #unreadWarnings: string[] = [];
  #onWarning: ((warning: string) => void) | undefined;
  #warnings = 0;
  #isStarted = false;

  constructor({ clock, estimatedTokens, cachedTokens, quietMs }: Omit<ReplyWriterDeps, "onTaken" | "onPause">) {
    this.replies = new ReplyWriter({
      clock,
      quietMs,
      estimatedTokens,
      cachedTokens,
      onTaken: () => this.onTaken(),
      onPause: () => this.onPause(),
    });
  }

  events(): TurnEvents {
    if (!this.#isStarted && !this.isOver) {
      this.#isStarted = true;
      this.meter.runs++;
      this.run().catch((thrown: unknown) => this.fail(GatewayError.from(thrown)));
    }
    return this.replies.read();
  }

  abstract answer(result: SentResult): void;

  /** Results of MCP tools, which most backends use, take any content. */
  carriage(_callId: string): Carriage {
    return "anything";
  }

  close(reason: CloseReason): void {
    this.breakOff(closedBy(reason));
  }

  usageSoFar(): { usage: Usage; turn: Usage } {
    return this.replies.meter.soFar();
  }

  onOver(callback: () => void): void {
    if (this.isOver) callback();
    else this.#onOver.push(callback);
  }

  onLateCheckpoint(callback: (checkpoint: CheckpointEvent) => void): void {
    this.replies.onUnreadCheckpoint(callback);
  }

  onWarning(callback: (warning: string) => void): void {
    this.#onWarning = callback;
    for (const warning of this.#unreadWarnings.splice(0)) callback(warning);
  }

  protected warn(warning: string): void {
    if (++this.#warnings > MAX_WARNINGS) return;
    if (this.#onWarning !== undefined) this.#onWarning(warning);
    else this.#unreadWarnings.push(warning);
  }

  /** Asks the upstream, once. Errors thrown here become the exchange's failure. */
  protected abstract run(): Promise<void>;

  /** Called when the exchange is aborted, to cancel the upstream's work. */
  protected abstract leave(reason: GatewayError): void;

  protected letGo(): void {}

  protected onTaken(): void {}

  protected onPause(): void {}

  /** Passes on what was written, where the upstream cannot be paused for a slow reader. */
  protected deliver(): void {
    if (this.replies.commit() || this.replies.heldCharacters <= MAX_HELD_CHARACTERS) return;
    this.breakOff(new GatewayError("canceled", "The reply was dropped because its client did not read it."));
  }

  protected finish(reason: FinishReason, state?: Uint8Array): void {
    if (this.isOver) return;
    this.replies.finish(reason, state);
    this.#over();
  }

  protected fail(error: GatewayError): void {
    if (this.isOver) return;
    this.replies.fail(error);
    this.#over();
  }

  /** Fails the reader at once, whatever the upstream does. */
  protected breakOff(error: GatewayError): void {
    if (this.isOver) return;
    this.brokenOffBy = error;
    this.leave(error);
    this.fail(error);
  }

  #over(): void {
    this.isOver = true;
    this.letGo();
    for (const callback of this.#onOver) callback();
    this.#onOver = []; // callbacks may retain much memory
  }
}

export abstract class TurnExchange<Deps extends { readonly clock: Clock }> extends BaseExchange {
  protected readonly turn: SentTurn;
  protected readonly context: StartContext;
  protected readonly deps: Deps;

  constructor(turn: SentTurn, context: StartContext, deps: Deps, quietMs = 0) {
    const { estimatedTokens, cachedTokens } = context;
    super({ clock: deps.clock, quietMs, estimatedTokens, cachedTokens });
    this.turn = turn;
    this.context = context;
    this.deps = deps;
  }

  /** The size of the request, if the reply is still empty and the request may be too long for its window. */
  protected get nearWindowTokens(): number | undefined {
    return this.replies.isEmpty ? tokensNearWindow(this.context) : undefined;
  }
}

/** A request that fills this share of the model's window may be too long for it. Clients seen live take the same share. */
const NEAR_WINDOW = 0.5;
/** Cursor's own prompt and tools before every conversation, at least (docs/protocol/live-behaviour.md). */
const CURSOR_FLOOR_TOKENS = 20_000;

/** What the model has to read, if that fills so much of its window that Cursor may refuse it; else undefined. */
export function tokensNearWindow(
  { estimatedTokens, model }: Pick<StartContext, "estimatedTokens" | "model">,
  lastCountedTokens = 0,
): number | undefined {
  const tokens = Math.max(estimatedTokens + CURSOR_FLOOR_TOKENS, lastCountedTokens);
  return tokens >= (model.contextTokens ?? Number.POSITIVE_INFINITY) * NEAR_WINDOW ? tokens : undefined;
}
