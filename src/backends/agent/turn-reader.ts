import type { Clock } from "../../clock.js";
import type { AgentServerMessage, ExecServerMessage, InteractionUpdate } from "../../gen/agent_v1_pb.js";
import type { TurnEvent } from "../../turn/event.js";
import type { ToolDefinition } from "../../turn/turn.js";
import type { TurnMeter } from "../exchange/usage-meter.js";
import { readCheckpoint } from "./checkpoint.js";
import type { ClientCalls } from "./client-calls.js";
import { askedCall, writtenCall } from "./client-tools.js";
import { decodeDelta, decodeMessage, decodeUpdate } from "./decode.js";
import { encodeExecAnswer } from "./encode.js";
import type { PauseWatch } from "./pause.js";
import { type AnswerContext, answerQuestion } from "./questions.js";

/** More does not fit where it is told how long a call took. */
const LONGEST_MS = 2 ** 31 - 1;

interface TurnReaderDeps {
  readonly callable: readonly ToolDefinition[];
  /** Whether Cursor's built-in tools are turned into calls of the client's equivalent ones. */
  readonly mapsNativeTools: boolean;
  readonly answers: AnswerContext;
  readonly calls: ClientCalls;
  readonly pauseWatch: PauseWatch;
  readonly meter: TurnMeter;
  readonly clock: Clock;
  /** To the server, on whichever stream there is. */
  readonly write: (frame: Buffer) => void;
  /** What Cursor wants its user to know, and what is no part of the answer. */
  readonly onNotice: (notice: string) => void;
}

/** What the server says and asks during one turn, on one stream or, when that breaks, on the next. */
export class TurnReader {
  /** From here on the turn must not be begun again: it would be said twice. */
  hasModelSpoken = false;
  isTurnEnded = false;
  /** Whether a checkpoint has come behind the end of the turn that holds all of it. */
  isTurnSettled = false;
  /** A checkpoint after which nothing was said: from there the turn can go on without saying anything twice. */
  resumable: Uint8Array | undefined;
  readonly #deps: TurnReaderDeps;
  #hasProgressed = false;
  /** The newest checkpoint, and whether the model has said anything since. */
  #newestState: Uint8Array = new Uint8Array();
  #hasSaidSince = false;

  constructor(deps: TurnReaderDeps) {
    this.#deps = deps;
  }

  /** Another stream for the same turn. */
  onNewStream(): void {
    this.isTurnEnded = this.isTurnSettled = false;
  }

  /** One message, whose events go into the batch. */
  read(bytes: Buffer, start: number, end: number, batch: TurnEvent[]): void {
    const count = batch.length;
    const before = lastLength(batch);
    const kind = decodeDelta(bytes, start, end, batch);
    if (kind === "progress") this.#onSaid(lastLength(batch) - (batch.length === count ? before : 0));
    else if (kind === "other") this.#onMessage(decodeMessage(bytes, start, end), bytes.subarray(start, end), batch);
  }

  /** Whether the model was at work since this was last asked; heartbeats do not count. */
  takeProgress(): boolean {
    const hasProgressed = this.#hasProgressed;
    this.#hasProgressed = false;
    return hasProgressed;
  }

  #onSaid(characters: number): void {
    this.#hasProgressed = this.hasModelSpoken = true;
    this.resumable = undefined;
    this.#hasSaidSince = true;
    this.#deps.meter.said(characters);
  }

  #onMessage(received: AgentServerMessage, bytes: Uint8Array, batch: TurnEvent[]): void {
    const { message } = received;
    switch (message.case) {
      case "interactionUpdate":
        this.#onUpdate(message.value, batch);
        break;
      case "execServerMessage":
        this.#onExec(message.value, received, batch);
        break;
      case "conversationCheckpointUpdate": {
        const { state, pendingCalls, contextTokens } = readCheckpoint(message.value, bytes);
        // The one from before the last words comes once more behind them. It does not hold them.
        if (this.#hasSaidSince && Buffer.compare(state, this.#newestState) === 0) break;
        this.#newestState = state;
        this.#hasSaidSince = false;
        const phase = pendingCalls.length > 0 ? "staged" : "settled";
        this.isTurnSettled = this.isTurnEnded && phase === "settled";
        this.#deps.calls.settle(pendingCalls);
        if (phase === "staged") this.#deps.pauseWatch.stage(pendingCalls.length);
        // Calls that were answered from the record end no reply; the next ones are another group all the same.
        else if (this.#deps.calls.toldSincePause === 0) this.#deps.pauseWatch.reset();
        // Only what came after calls is sure to hold all that was said.
        if (phase === "staged" || this.resumable !== undefined) this.resumable = state;
        this.#deps.meter.context(contextTokens);
        batch.push({ type: "checkpoint", state, phase, calls: this.#deps.calls.unsettled });
        break;
      }
      case undefined:
        this.#deps.answers.drift.count("message");
        break;
      default:
        this.#answer(received);
    }
  }

  #onExec(exec: ExecServerMessage, received: AgentServerMessage, batch: TurnEvent[]): void {
    const { callable, mapsNativeTools, calls, pauseWatch, meter, clock, write } = this.#deps;
    const askedMs = clock.elapsed();
    const asked = askedCall(exec, callable, mapsNativeTools, (execId, results) => {
      const tookMs = Math.min(Math.round(clock.elapsed() - askedMs), LONGEST_MS);
      for (const frame of encodeExecAnswer(execId, results, tookMs)) write(frame);
    });
    if (asked === undefined) {
      this.#answer(received);
      return;
    }
    this.#hasProgressed = this.hasModelSpoken = true;
    meter.said(asked.name.length + asked.input.length);
    pauseWatch.ask();
    calls.ask(asked, batch);
  }

  #answer(received: AgentServerMessage): void {
    for (const frame of answerQuestion(received, this.#deps.answers)) this.#deps.write(frame);
  }

  #onUpdate(update: InteractionUpdate, batch: TurnEvent[]): void {
    const { callable, calls, pauseWatch, meter, answers, onNotice } = this.#deps;
    const kind = decodeUpdate(update, batch);
    const { message } = update;
    if (kind === "idle") {
      if (message.case === "textDelta" && message.value.text !== "") onNotice(message.value.text);
      return;
    }
    this.#hasProgressed = true;
    switch (message.case) {
      case "textDelta":
      case "thinkingDelta":
        this.#onSaid(message.value.text.length);
        break;
      case "partialToolCall": {
        const written = writtenCall(message.value, callable);
        if (written === undefined) break;
        this.hasModelSpoken = true;
        calls.write(written.upstreamId, written.name, written.text, batch);
        break;
      }
      case "toolCallStarted":
        this.hasModelSpoken = true;
        pauseWatch.announce();
        break;
      case "stepStarted":
        meter.modelCall();
        break;
      case "turnEnded":
        this.isTurnEnded = true;
        meter.ended(message.value);
        break;
      case undefined:
        answers.drift.count("update");
        break;
      default: // progress of other kinds, and what a newer server may tell
    }
  }
}

/** How long the words are that the next ones may be joined to. */
function lastLength(batch: readonly TurnEvent[]): number {
  const last = batch[batch.length - 1];
  return last !== undefined && "delta" in last ? last.delta.length : 0;
}
