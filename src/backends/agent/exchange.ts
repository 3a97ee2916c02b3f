import { randomUUID } from "node:crypto";
import type { TokenSource } from "../../auth/token.js";
import type { Clock } from "../../clock.js";
import type { AgentServerMessage, InteractionUpdate } from "../../gen/agent_v1_pb.js";
import { GatewayError } from "../../turn/error.js";
import type { TurnEvents, Usage } from "../../turn/event.js";
import { EventQueue } from "../../turn/event-queue.js";
import type { Turn } from "../../turn/turn.js";
import type { CloseReason, Exchange, StartContext } from "../backend.js";
import { BlobStore } from "./blobs.js";
import { decodeDelta, decodeMessage, decodeUpdate } from "./decode.js";
import type { Drift } from "./drift.js";
import { encodeRun, heartbeatFrame } from "./encode.js";
import { type ClientIdentity, runHeaders } from "./headers.js";
import type { Http2Pool } from "./http2-pool.js";
import { type AnswerContext, answerQuestion } from "./questions.js";
import { buildRequestContext } from "./request-context.js";
import { RunStream, type RunStreamSink } from "./run-stream.js";
import { estimatedUsage, measuredUsage } from "./usage.js";

/** Raw input that may wait for a slow reader before we stop reading. */
const MAX_HELD_BYTES = 16 * 1024;

export interface AgentLimits {
  /** Sent while a run is open, so that Cursor knows we are there. */
  readonly heartbeatMs: number;
  /** Not a byte for so long: the stream is dead. */
  readonly silenceMs: number;
  /** Only heartbeats for so long: the turn is stuck. */
  readonly noProgressMs: number;
  /** Further attempts at a turn of which the model has not said anything yet. */
  readonly maxRetries: number;
}

export interface ExchangeDeps {
  readonly tokens: TokenSource;
  readonly pool: Http2Pool;
  readonly origin: string;
  readonly identity: ClientIdentity;
  readonly limits: AgentLimits;
  readonly clock: Clock;
  readonly random: () => number;
  readonly drift: Drift;
  readonly log: { warn(fields: object, message: string): void };
}

/** One turn at Cursor: the run, what the server asks during it, and further attempts while nothing was said yet. */
export class AgentExchange implements Exchange, RunStreamSink {
  readonly #deps: ExchangeDeps;
  readonly #turn: Turn;
  readonly #model: string;
  readonly #requestId: string;
  readonly #answerContext: AnswerContext;
  readonly #queue = new EventQueue(() => this.#onTaken());
  readonly #leaving = new AbortController();
  readonly #onOver: () => void;

  #stream: RunStream | undefined;
  #settleAttempt: (error: GatewayError | undefined) => void = () => {};
  #closedWith: GatewayError | undefined;
  #isStarted = false;
  #lastProgressMs: number;
  #lastHeartbeatMs: number;
  #hasProgressed = false;
  #hasModelSpoken = false;
  #outputBytes = 0;
  #isTurnEnded = false;
  #usage: Usage | undefined;

  constructor(turn: Turn, context: StartContext, deps: ExchangeDeps, onOver: () => void) {
    this.#turn = turn;
    this.#model = context.model;
    this.#requestId = context.requestId;
    this.#deps = deps;
    this.#onOver = onOver;
    this.#answerContext = { blobs: new BlobStore(), requestContext: buildRequestContext(turn), drift: deps.drift };
    this.#lastProgressMs = this.#lastHeartbeatMs = deps.clock.now();
  }

  events(): TurnEvents {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#run().then(
        (error) => this.#over(error),
        (thrown) => this.#over(GatewayError.from(thrown)),
      );
    }
    return this.#queue;
  }

  answer(): void {
    throw new GatewayError("server_error", "No tool call of this turn waits for a result.");
  }

  close(reason: CloseReason): void {
    if (this.#closedWith !== undefined) return;
    this.#closedWith =
      reason === "shutdown"
        ? new GatewayError("shutting_down", "Curlew is stopping; ask again in a moment.")
        : new GatewayError("canceled", "The turn was cancelled.");
    this.#leaving.abort();
    this.#stream?.cancel(this.#closedWith);
    this.#over(this.#closedWith);
  }

  /** Called about once a second: what must be said or noticed while nothing else happens. */
  tick(nowMs: number): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    const { heartbeatMs, silenceMs, noProgressMs } = this.#deps.limits;
    if (nowMs - this.#lastHeartbeatMs >= heartbeatMs) {
      this.#lastHeartbeatMs = nowMs;
      stream.write(heartbeatFrame);
    }
    if (stream.isPaused) return; // the silence is our own doing
    if (nowMs - stream.lastInMs >= silenceMs) {
      const text = `Cursor has sent nothing for ${Math.round(silenceMs / 1000)} s; the connection is dead. Try again.`;
      stream.cancel(new GatewayError("timeout", text, { isRetryable: true }));
    } else if (nowMs - this.#lastProgressMs >= noProgressMs) {
      const text = `The model has made no progress for ${Math.round(noProgressMs / 1000)} s. Try again or simplify the task.`;
      stream.cancel(new GatewayError("timeout", text));
    }
  }

  // RunStreamSink: what one attempt reads.

  message(bytes: Buffer, start: number, end: number): void {
    const kind = decodeDelta(bytes, start, end, this.#queue.batch);
    if (kind === "progress") {
      this.#hasProgressed = this.#hasModelSpoken = true;
      this.#outputBytes += end - start;
    } else if (kind === "other") {
      this.#onMessage(decodeMessage(bytes, start, end));
    }
  }

  flush(): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    if (this.#hasProgressed) {
      this.#hasProgressed = false;
      this.#lastProgressMs = stream.lastInMs;
    }
    if (this.#queue.commit()) stream.heldBytes = 0;
    else if (stream.heldBytes > MAX_HELD_BYTES) stream.pause();
  }

  ended(error: GatewayError | undefined): void {
    this.#stream = undefined;
    this.#settleAttempt(error);
  }

  async #run(): Promise<GatewayError | undefined> {
    const { limits, clock, random, tokens, log } = this.#deps;
    const originalRequestId = randomUUID();
    let hasRenewed = false;
    for (let attempt = 0; ; ) {
      const token = await tokens.get(this.#leaving.signal);
      const error = await this.#attempt(token, originalRequestId);
      if (error === undefined || this.#closedWith !== undefined || this.#hasModelSpoken) return error;
      if (error.kind === "authentication" && !hasRenewed) {
        hasRenewed = true;
        await tokens.renew(token, this.#leaving.signal);
        continue;
      }
      if (!error.isRetryable || attempt >= limits.maxRetries) return error;
      const delayMs = backoffMs(attempt++, random());
      log.warn({ requestId: this.#requestId, code: error.code, attempt, delayMs }, "retrying a turn");
      await clock.sleep(delayMs, this.#leaving.signal);
      if (this.#leaving.signal.aborted) return this.#closedWith;
    }
  }

  async #attempt(token: string, originalRequestId: string): Promise<GatewayError | undefined> {
    const { pool, origin, identity, clock, tokens } = this.#deps;
    const headers = runHeaders({ token, identity, requestId: randomUUID(), originalRequestId });
    let raw: Awaited<ReturnType<Http2Pool["open"]>>;
    try {
      raw = await pool.open({ account: tokens.account, origin, headers });
    } catch (thrown) {
      return GatewayError.from(thrown);
    }
    return new Promise((resolve) => {
      this.#settleAttempt = resolve;
      this.#isTurnEnded = false;
      this.#lastProgressMs = this.#lastHeartbeatMs = clock.now();
      const stream = new RunStream(raw, this, clock.now);
      this.#stream = stream;
      if (this.#closedWith !== undefined) return stream.cancel(this.#closedWith);
      stream.write(
        encodeRun({
          turn: this.#turn,
          model: this.#model,
          conversationId: originalRequestId,
          originalRequestId,
          blobs: this.#answerContext.blobs,
        }),
      );
    });
  }

  #over(error: GatewayError | undefined): void {
    if (error === undefined && !this.#isTurnEnded) {
      error = new GatewayError("upstream_error", "Cursor ended the stream before the turn was complete. Try again.");
    }
    if (error === undefined) {
      const usage = this.#usage ?? estimatedUsage(this.#turn, this.#outputBytes);
      this.#queue.batch.push({ type: "usage", usage }, { type: "finish", reason: "stop" });
    }
    this.#queue.end(error);
    this.#onOver();
  }

  #onTaken(): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    stream.heldBytes = 0;
    if (!stream.isPaused) return;
    this.#lastProgressMs = this.#deps.clock.now();
    stream.resume();
  }

  #onMessage(received: AgentServerMessage): void {
    const { message } = received;
    if (message.case === "interactionUpdate") {
      this.#onUpdate(message.value);
      return;
    }
    const frames = answerQuestion(received, this.#answerContext);
    if (frames !== undefined) for (const frame of frames) this.#stream?.write(frame);
    else if (message.case === undefined) this.#deps.drift.count("message");
    // What is left needs no answer: checkpoints, and aborts of execs that we have answered already.
  }

  #onUpdate(update: InteractionUpdate): void {
    const kind = decodeUpdate(update, this.#queue.batch);
    if (kind === "idle") {
      if (update.message.case === "textDelta" && update.message.value.text !== "") {
        this.#deps.log.warn({ requestId: this.#requestId, notice: update.message.value.text }, "notice from Cursor");
      }
      return;
    }
    this.#hasProgressed = true;
    if (kind === "progress") this.#hasModelSpoken = true;
    if (update.message.case === "turnEnded") {
      this.#isTurnEnded = true;
      this.#usage = measuredUsage(update.message.value);
    } else if (update.message.case === undefined) {
      this.#deps.drift.count("update");
    }
  }
}

/** 1 s doubling to a minute, and up to a fifth more, as Cursor's own clients do. */
function backoffMs(attempt: number, random: number): number {
  return Math.min(1_000 * 2 ** attempt, 60_000) * (1 + 0.2 * random);
}
