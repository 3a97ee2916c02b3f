import { randomUUID } from "node:crypto";
import type { TokenSource } from "../../auth/token.js";
import type { Clock } from "../../clock.js";
import type { SentResult } from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import type { TurnEvents, Usage } from "../../turn/event.js";
import { EventQueue } from "../../turn/event-queue.js";
import type { SentTurn } from "../../turn/turn.js";
import type { ClientCall, CloseReason, Exchange, StartContext } from "../backend.js";
import { closedBy } from "../closed.js";
import { TurnMeter } from "../exchange/usage-meter.js";
import { isNearWindow } from "../near-window.js";
import { BlobStore } from "./blobs.js";
import { ClientCalls } from "./client-calls.js";
import type { Drift } from "./drift.js";
import { EndWatch } from "./end-watch.js";
import { toGatewayError } from "./errors.js";
import type { UpstreamFailure } from "./failure.js";
import { Liveness, type LivenessLimits } from "./liveness.js";
import type { RunOpening } from "./open-run.js";
import { PauseWatch } from "./pause.js";
import { writtenAnswers } from "./questions.js";
import type { RunChannel, RunSink } from "./run-channel.js";
import { encodeRun } from "./run-request.js";
import { TurnReader } from "./turn-reader.js";

/** Raw input that may wait for a slow reader before we stop reading. */
const MAX_HELD_BYTES = 16 * 1024;
/** Who is asked to wait longer than this is told so, and decides for himself. */
const LONGEST_WAIT_MS = 10_000;

export interface AgentLimits extends LivenessLimits {
  /** Further attempts at a turn of which the model has not said anything yet. */
  readonly maxRetries: number;
  /** How long to wait for another parallel call where the server gives no sign that all have come. */
  readonly quietMs: number;
}

export interface ExchangeDeps {
  readonly tokens: TokenSource;
  /** Opens the channel of one attempt, on whichever transport. */
  readonly openRun: (opening: RunOpening, sink: RunSink) => Promise<RunChannel>;
  /** Whether a run that failed so is to be tried again at once: it will go over another transport. */
  readonly goesAround: (error: GatewayError) => boolean;
  readonly limits: AgentLimits;
  /** Whether Cursor's built-in tools are turned into calls of the client's equivalent ones. */
  readonly mapsNativeTools: boolean;
  readonly fingerprint: (name: string, input: string) => string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly drift: Drift;
  readonly log: { warn(fields: object, message: string): void };
}

/**
 * One turn at Cursor: a run that stays open over any number of replies, pauses while the client has calls to run, and is
 * tried again only where nothing can be said or done twice.
 */
export class AgentExchange implements Exchange, RunSink {
  readonly #deps: ExchangeDeps;
  readonly #tools: SentTurn["tools"];
  /** All that the run begins with. Let go at the first pause: a parked run must not hold on to the whole conversation. */
  #opening: Pick<StartContext, "state"> & Pick<SentTurn, "messages">;
  readonly #context: Omit<StartContext, "state" | "record">;
  readonly #blobs: BlobStore;
  readonly #reader: TurnReader;
  readonly #calls: ClientCalls;
  readonly #pauseWatch: PauseWatch;
  readonly #endWatch: EndWatch;
  readonly #meter: TurnMeter;
  readonly #liveness: Liveness;
  readonly #leaving = new AbortController();
  readonly #overCallbacks: (() => void)[] = [];

  /** The reply being filled; a pause ends it and begins the next. */
  #queue = this.#newQueue();
  /** Whether somebody reads that reply. While nobody does, it goes on filling: it is the next one that will be read. */
  #isRead = false;
  #stream: RunChannel | undefined;
  #settleAttempt: (error: GatewayError | undefined) => void = () => {};
  #closedWith: GatewayError | undefined;
  #isStarted = false;
  #isOver = false;
  #hasResumed = false;

  constructor(turn: SentTurn, context: StartContext, deps: ExchangeDeps) {
    this.#tools = turn.tools;
    const { state, record, ...rest } = context;
    this.#context = rest;
    this.#opening = { state, messages: turn.messages };
    this.#deps = deps;
    this.#blobs = new BlobStore(context.blobs);
    const { newCallId, callable, requestId } = rest;
    this.#calls = new ClientCalls({ newCallId, record, fingerprint: deps.fingerprint });
    const { clock, limits } = deps;
    this.#pauseWatch = new PauseWatch({ clock, quietMs: limits.quietMs, onQuiet: () => this.#pauseIfDue(true) });
    this.#endWatch = new EndWatch({ clock, onOverdue: () => this.#leaveOpenStream() });
    this.#meter = new TurnMeter(context.estimatedTokens);
    const { system, tools } = turn;
    this.#reader = new TurnReader({
      callable,
      mapsNativeTools: deps.mapsNativeTools,
      answers: {
        system,
        tools,
        callable,
        blobs: this.#blobs,
        drift: deps.drift,
        written: writtenAnswers(system, tools),
      },
      calls: this.#calls,
      pauseWatch: this.#pauseWatch,
      meter: this.#meter,
      clock,
      write: (frame) => this.#stream?.write(frame),
      onNotice: (notice) => deps.log.warn({ requestId, notice }, "notice from Cursor"),
    });
    this.#liveness = new Liveness(limits, clock);
  }

  get openCalls(): readonly ClientCall[] {
    return this.#reader.isTurnEnded ? [] : this.#calls.open;
  }

  events(): TurnEvents {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#run().then(
        (error) => this.#over(error),
        (thrown) => this.#over(GatewayError.from(thrown)),
      );
    }
    this.#isRead = true;
    if (this.#calls.toldSincePause > 0) this.#pauseWatch.wait(); // calls that came while nobody was there
    return this.#queue;
  }

  answer(result: SentResult): void {
    if (this.#calls.answer(result)) this.#liveness.lastProgressMs = this.#deps.clock.now();
  }

  close(reason: CloseReason): void {
    if (this.#closedWith !== undefined) return;
    this.#closedWith = closedBy(reason);
    this.#leaving.abort();
    this.#stream?.cancel(this.#closedWith);
    this.#over(this.#closedWith);
  }

  usageSoFar(): { usage: Usage; turn: Usage } {
    return { usage: this.#meter.final(), turn: this.#meter.wholeTurn() };
  }

  onOver(callback: () => void): void {
    if (this.#isOver) callback();
    else this.#overCallbacks.push(callback);
  }

  /** Called about once a second; `isLate` when that was far more. */
  tick(nowMs: number, isLate: boolean): void {
    if (this.#stream !== undefined) this.#liveness.tick(this.#stream, this.#calls.openExecIds, { nowMs, isLate });
  }

  // RunSink: what one attempt reads.

  message(bytes: Buffer, start: number, end: number): void {
    this.#reader.read(bytes, start, end, this.#queue.batch);
  }

  flush(): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    if (this.#reader.takeProgress()) this.#liveness.lastProgressMs = stream.lastInMs;
    this.#pauseIfDue(false);
    if (this.#reader.isTurnEnded) this.#endWatch.onTurnEnded(this.#reader.isTurnSettled);
    if (this.#queue.commit()) stream.heldBytes = 0;
    else if (stream.heldBytes > MAX_HELD_BYTES) stream.pause();
  }

  judge(failure: UpstreamFailure): GatewayError {
    const mayBeTooLong = !this.#reader.hasModelSpoken && isNearWindow(this.#context);
    return toGatewayError(failure, { isNearWindow: mayBeTooLong, nowMs: this.#deps.clock.now() });
  }

  ended(error: GatewayError | undefined): void {
    this.#stream = undefined;
    this.#settleAttempt(error);
  }

  async #run(): Promise<GatewayError | undefined> {
    const { limits, clock, random, tokens, log } = this.#deps;
    const { requestId, maxRetries = limits.maxRetries } = this.#context;
    const originalRequestId = randomUUID();
    let attemptId = originalRequestId;
    let hasRenewed = false;
    for (let attempt = 0; ; ) {
      const token = await tokens.get(this.#leaving.signal);
      const failure = await this.#attempt(token, attemptId, originalRequestId);
      if (this.#closedWith !== undefined) return this.#closedWith;
      if (this.#reader.isTurnEnded) return undefined; // the answer is whole, whatever became of the stream behind it
      const error = failure ?? endedEarly();
      attemptId = randomUUID();
      if (this.#reader.hasModelSpoken) {
        if (this.#hasResumed) return error.with({ wasRetried: true });
        if (!error.isRetryable || this.#reader.resumable === undefined) return error;
        if (this.#calls.isTellingInVain) return error;
        this.#hasResumed = true;
        this.#opening = { state: this.#reader.resumable, messages: [] };
        log.warn({ requestId, code: error.code }, "resuming a turn from its checkpoint");
        continue;
      }
      if (error.kind === "authentication" && !hasRenewed) {
        hasRenewed = true;
        await tokens.renew(token, this.#leaving.signal);
        continue;
      }
      if (this.#deps.goesAround(error)) continue;
      const { isRetryable, retryAfterMs = 0 } = error;
      const isWorthIt = isRetryable && attempt < Math.min(limits.maxRetries, maxRetries, error.maxRetries);
      if (!isWorthIt || retryAfterMs > LONGEST_WAIT_MS) return attempt > 0 ? error.with({ wasRetried: true }) : error;
      const delayMs = Math.max(retryAfterMs, backoffMs(attempt++, random()));
      log.warn({ requestId, code: error.code, attempt, delayMs }, "retrying a turn");
      await clock.sleep(delayMs, this.#leaving.signal);
      if (this.#leaving.signal.aborted) return this.#closedWith;
    }
  }

  /** Resolves when the stream has ended, with the error that it ended with, if any. */
  async #attempt(token: string, requestId: string, originalRequestId: string): Promise<GatewayError | undefined> {
    const ended = new Promise<GatewayError | undefined>((resolve) => {
      this.#settleAttempt = resolve;
    });
    const hasTools = this.#tools.length > 0;
    const { model, conversationId } = this.#context;
    const said = { ...this.#opening, tools: this.#tools };
    let opening: Buffer;
    try {
      opening = await encodeRun({ ...said, model, conversationId, originalRequestId, blobs: this.#blobs });
      this.#stream = await this.#deps.openRun({ token, requestId, originalRequestId, hasTools }, this);
    } catch (thrown) {
      return GatewayError.from(thrown);
    }
    this.#reader.onNewStream();
    this.#endWatch.reset();
    this.#liveness.onNewRun(this.#deps.clock.now());
    this.#calls.onNewStream();
    this.#pauseWatch.reset();
    if (this.#closedWith !== undefined) this.#stream.cancel(this.#closedWith);
    else this.#stream.write(opening);
    return ended;
  }

  #over(error: GatewayError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pauseWatch.reset();
    this.#endWatch.reset();
    if (error === undefined) {
      this.#queue.batch.push({ type: "usage", ...this.usageSoFar() }, { type: "finish", reason: "stop" });
    }
    this.#queue.end(error);
    for (const callback of this.#overCallbacks) callback();
  }

  #newQueue(): EventQueue {
    return new EventQueue(() => this.#onTaken());
  }

  #onTaken(): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    stream.heldBytes = 0;
    if (!stream.isPaused) return;
    this.#liveness.lastProgressMs = this.#deps.clock.now();
    stream.resume();
  }

  /** The turn is over and its stream is not: that stream alone is reset, and the session goes on serving others. */
  #leaveOpenStream(): void {
    if (this.#stream?.isPaused)
      this.#endWatch.wait(); // what was not read yet may hold the checkpoint
    else this.#stream?.cancel(leftOpen());
  }

  /** Ends the reply at its calls once all of them have come; the run stays open. */
  #pauseIfDue(isQuiet: boolean): void {
    if (this.#calls.toldSincePause === 0 || this.#calls.isTelling || this.#isOver || !this.#isRead) return;
    if (!isQuiet && !this.#pauseWatch.isComplete) return;
    this.#pauseWatch.reset();
    this.#calls.onPause();
    this.#queue.batch.push({ type: "usage", usage: this.#meter.atPause() }, { type: "finish", reason: "tool-calls" });
    this.#queue.end();
    this.#queue = this.#newQueue();
    this.#isRead = false;
    if (this.#stream === undefined) return; // another is being opened, and begins with what follows
    this.#opening = { state: undefined, messages: [] };
    this.#blobs.letGoOfMessages();
  }
}

function endedEarly(): GatewayError {
  const text = "Cursor ended the stream before the turn was complete. Try again.";
  return new GatewayError("upstream_error", text, { isRetryable: true });
}

/** Nobody gets to see it: the turn it would end has ended. */
function leftOpen(): GatewayError {
  return new GatewayError("upstream_error", "Cursor left the stream open behind the end of the turn.");
}

/** 1 s doubling to a minute, and up to a fifth more, as Cursor's own clients do. */
function backoffMs(attempt: number, random: number): number {
  return Math.min(1_000 * 2 ** attempt, 60_000) * (1 + 0.2 * random);
}
