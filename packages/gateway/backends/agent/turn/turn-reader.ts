import type { AgentServerMessage, ExecServerMessage, InteractionUpdate } from "@curlew/wire/gen/agent_v1_pb.js";
import type { Clock } from "../../../system/clock.js";
import type { ReplyWriter } from "../../exchange/index.js";
import { type AnswerContext, answerQuestion, countUnknown } from "../answers/questions.js";
import { type AskedCall, askedCall, encodeCallResult, madeCallId, writtenCall } from "./asked-call.js";
import type { ClientCalls } from "./client-calls.js";
import {
  type CheckpointSummary,
  ChunkTexts,
  decodeDelta,
  decodeMessage,
  decodeUpdate,
  measuredUsage,
  readCheckpoint,
} from "./decode.js";

interface TurnReaderDeps {
  readonly mapsNativeTools: boolean;
  readonly namedCallMs: number;
  readonly clientName: (name: string) => string;
  readonly answers: AnswerContext;
  readonly calls: ClientCalls;
  readonly replies: ReplyWriter;
  readonly clock: Clock;
  readonly write: (frame: Buffer) => void;
  /** Called for each call that the client is to run, before the client sees it. */
  readonly onAsked: (asked: AskedCall) => void;
  /** Called for notices from Cursor to its user, which are not part of the answer. */
  readonly onNotice: (notice: string) => void;
  /** Called at the end of a turn with the id of the blob that describes it. */
  readonly onSettled: (turnId: Uint8Array) => void;
}

/** Reads what the server says and asks during one turn, on one stream or, when that breaks, on the next. */
export class TurnReader {
  /** Once this is true the turn must not start again, because its text would be sent twice. */
  hasModelSpoken = false;
  isTurnEnded = false;
  /** Whether a checkpoint that holds the whole turn has come after its end. */
  isTurnSettled = false;
  /** The conversation's id, if it has changed since the first stream of the turn. */
  conversationId: string | undefined;
  /** A checkpoint that holds everything said so far: the turn can resume from it without repeating anything. */
  resumable: Uint8Array | undefined;
  readonly #deps: TurnReaderDeps;
  readonly #texts = new ChunkTexts();
  #hasProgressed = false;
  #newestState: Uint8Array = new Uint8Array();
  #hasSaidSince = false;

  constructor(deps: TurnReaderDeps) {
    this.#deps = deps;
  }

  onNewStream(): void {
    this.isTurnEnded = this.isTurnSettled = false;
  }

  read(bytes: Buffer, start: number, end: number): void {
    const kind = decodeDelta(bytes, start, end, this.#deps.replies, this.#texts);
    if (kind === "progress") this.#onSaid();
    else if (kind === "other") this.#onMessage(decodeMessage(bytes, start, end), bytes.subarray(start, end));
  }

  onChunkEnd(): void {
    this.#texts.release();
  }

  /** Ends the reply at the last call of its group. While the model works, one that is listed is waited for. */
  watchGroup(): void {
    const { calls, replies, namedCallMs } = this.#deps;
    if (replies.callsSent === 0) return;
    if (replies.canPause && calls.isGroupComplete) replies.pause();
    else if (this.#hasProgressed && calls.isListedCallMissing) replies.awaitQuiet(namedCallMs);
  }

  /** Whether the model has worked since the last call of this method; heartbeats do not count. */
  takeProgress(): boolean {
    const hasProgressed = this.#hasProgressed;
    this.#hasProgressed = false;
    return hasProgressed;
  }

  #onSaid(): void {
    this.#hasProgressed = this.hasModelSpoken = true;
    this.resumable = undefined;
    this.#hasSaidSince = true;
  }

  #onMessage(received: AgentServerMessage, bytes: Uint8Array): void {
    const { message } = received;
    switch (message.case) {
      case "interactionUpdate":
        this.#onUpdate(message.value);
        break;
      case "execServerMessage":
        this.#onExec(message.value, received);
        break;
      case "conversationCheckpointUpdate":
        this.#onCheckpoint(readCheckpoint(message.value, bytes));
        break;
      case undefined:
        countUnknown(this.#deps.answers.drift, "message", received);
        break;
      default:
        this.#answer(received);
    }
  }

  #onCheckpoint({ state, pendingCalls, contextTokens, newestTurn }: CheckpointSummary): void {
    const { calls, replies, namedCallMs, onSettled } = this.#deps;
    // Cursor sends the checkpoint from before the last words again after them, still without them. It sends the last one twice.
    if ((this.#hasSaidSince || this.isTurnSettled) && Buffer.compare(state, this.#newestState) === 0) return;
    this.#newestState = state;
    this.#hasSaidSince = false;
    const phase = pendingCalls.length > 0 ? "staged" : "settled";
    this.isTurnSettled = this.isTurnEnded && phase === "settled";
    calls.settle(pendingCalls);
    if (replies.callsSent > 0 && calls.isCallNamed) replies.awaitQuiet(namedCallMs);
    // Calls that were answered from known results end no reply, but the next calls still form another group.
    if (phase === "settled" && replies.callsSent === 0 && !calls.isListedCallMissing) calls.closeGroup();
    // Only a checkpoint after calls is certain to hold everything that was said.
    if (phase === "staged" || this.resumable !== undefined) this.resumable = state;
    replies.meter.context(contextTokens);
    const { conversationId } = this;
    const known = { state, phase, calls: calls.unsettled, isLast: this.isTurnSettled } as const;
    replies.write({ type: "checkpoint", ...known, ...(conversationId !== undefined && { conversationId }) });
    if (this.isTurnSettled && newestTurn !== undefined) onSettled(newestTurn);
  }

  #onExec(exec: ExecServerMessage, received: AgentServerMessage): void {
    const { answers, mapsNativeTools, namedCallMs, clientName, calls, replies, clock } = this.#deps;
    const nowMs = clock.elapsed();
    const asked = askedCall(exec, answers.callable, { mapsNativeTools, askedMs: nowMs, clientName });
    if (asked === undefined) {
      const upstreamId = madeCallId(exec);
      if (upstreamId !== "") calls.refuse(upstreamId);
      this.#answer(received);
      return;
    }
    this.#hasProgressed = this.hasModelSpoken = true;
    replies.awaitQuiet();
    this.#deps.onAsked(asked);
    const known = calls.ask(asked, replies);
    if (calls.isCallNamed) replies.awaitQuiet(namedCallMs);
    if (known !== undefined) this.#send(encodeCallResult(asked, known, nowMs));
  }

  #answer(received: AgentServerMessage): void {
    this.#send(answerQuestion(received, this.#deps.answers));
  }

  #send(frames: readonly Buffer[]): void {
    for (const frame of frames) this.#deps.write(frame);
  }

  #onUpdate(update: InteractionUpdate): void {
    const { calls, replies, answers, clientName, onNotice } = this.#deps;
    const kind = decodeUpdate(update, replies);
    const { message } = update;
    if (kind === "idle") {
      if (message.case === "textDelta" && message.value.text !== "") onNotice(message.value.text);
      return;
    }
    this.#hasProgressed = true;
    switch (message.case) {
      case "textDelta":
      case "thinkingDelta":
        this.#onSaid();
        break;
      case "partialToolCall": {
        const written = writtenCall(message.value, answers.callable, clientName);
        if (written === undefined) break;
        this.hasModelSpoken = true;
        calls.write(written.upstreamId, written.name, written.text, replies);
        break;
      }
      case "toolCallStarted":
        this.hasModelSpoken = true;
        calls.announce();
        replies.awaitQuiet();
        break;
      case "toolRequestsListed":
        calls.list(message.value.callCount);
        break;
      case "toolCallCompleted":
        calls.complete(message.value.callId);
        break;
      case "stepStarted":
        replies.meter.modelCall();
        break;
      case "turnEnded": {
        this.isTurnEnded = true;
        const usage = measuredUsage(message.value);
        if (usage === undefined && message.value.$unknown !== undefined)
          countUnknown(answers.drift, "usage", message.value);
        replies.meter.measured(usage);
        break;
      }
      case undefined:
        countUnknown(answers.drift, "update", update);
        break;
      default: // other progress, and updates of newer servers
    }
  }
}
