import { create } from "@bufbuild/protobuf";
import type { Clock } from "../../clock.js";
import { TurnEndedUpdateSchema } from "../../gen/agent_v1_pb.js";
import type { SentResult } from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import type { TurnEvents, Usage } from "../../turn/event.js";
import { EventQueue } from "../../turn/event-queue.js";
import type { SentTurn } from "../../turn/turn.js";
import type { ClientCall, CloseReason, Exchange, StartContext } from "../backend.js";
import { closedBy } from "../closed.js";
import { TurnMeter } from "../exchange/usage-meter.js";
import { encodeMessage, encodeResult } from "./encode.js";
import { isSystemPromptRefused, toSdkError } from "./errors.js";
import type { SdkProcess, TurnListener } from "./process.js";
import type { SdkFailure, SdkUsage, TurnMessage } from "./protocol.js";
import type { ConversationStores, Place } from "./stores.js";

/**
 * What may wait for a reader: far more than any answer. The SDK itself cannot be made to wait: after half a minute it would take
 * the connection for dead.
 */
const MAX_HELD_CHARACTERS = 16 * 1024 * 1024;

export interface SdkTurnLimits {
  /** Nothing of the model for so long: the turn is stuck. Does not count while the client has calls to run. */
  readonly stallMs: number;
  /** How long to wait for another parallel call: the SDK does not say when all have come. */
  readonly quietMs: number;
}

export interface SdkExchangeDeps {
  readonly clock: Clock;
  readonly limits: SdkTurnLimits;
  readonly stores: ConversationStores;
  /** The process that is there, or a new one. */
  readonly process: () => Promise<SdkProcess>;
  /** What is known of the account. */
  readonly account: { isSystemPromptRefused: boolean };
}

/** One turn of the SDK's, over any number of replies: it waits in between for the results of the client's tools. */
export class SdkExchange implements Exchange, TurnListener {
  readonly #turn: SentTurn;
  readonly #context: StartContext;
  readonly #deps: SdkExchangeDeps;
  readonly #meter: TurnMeter;
  readonly #calls = new Map<string, ClientCall>();
  readonly #overCallbacks: (() => void)[] = [];
  #heldCharacters = 0;
  #queue = this.#newQueue();
  #isRead = false;
  #process: SdkProcess | undefined;
  #place: Place | undefined;
  #toldCalls = 0;
  #hasSpoken = false;
  #isStarted = false;
  #isOver = false;
  #stopStallTimer: () => void = () => {};
  #stopQuietTimer: () => void = () => {};

  constructor(turn: SentTurn, context: StartContext, deps: SdkExchangeDeps) {
    this.#turn = turn;
    this.#context = context;
    this.#deps = deps;
    this.#meter = new TurnMeter(context.estimatedTokens);
    this.#meter.modelCall();
  }

  get openCalls(): readonly ClientCall[] {
    return [...this.#calls.values()];
  }

  events(): TurnEvents {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#start().catch((thrown) => this.#over(GatewayError.from(thrown)));
    }
    this.#isRead = true;
    this.#waitForMoreCalls(); // some may have come while nobody was there
    return this.#queue;
  }

  answer(result: SentResult): void {
    const call = this.#calls.get(result.callId);
    if (call === undefined || this.#place === undefined) return;
    this.#calls.delete(result.callId);
    if (this.#calls.size === 0) this.#meter.modelCall(); // it has all results of its group, and reads on
    this.#watch();
    const { turn } = this.#place;
    this.#process?.send({ type: "answer", turn, call: call.upstreamId, result: encodeResult(result) });
  }

  close(reason: CloseReason): void {
    this.#breakOff(closedBy(reason));
  }

  usageSoFar(): { usage: Usage; turn: Usage } {
    return { usage: this.#meter.final(), turn: this.#meter.wholeTurn() };
  }

  onOver(callback: () => void): void {
    if (this.#isOver) callback();
    else this.#overCallbacks.push(callback);
  }

  // TurnListener: what the process says of this turn.

  message(message: TurnMessage): void {
    if (this.#isOver) return;
    this.#watch();
    switch (message.type) {
      case "text":
      case "thinking":
        this.#say(message.type, message.delta);
        break;
      case "call":
        this.#tellCall(message.call, message.name, message.input);
        break;
      case "usage":
        this.#meter.ended(create(TurnEndedUpdateSchema, counted(message.usage)));
        break;
      case "end":
        this.#finish(message.agentId);
        break;
      case "failed":
        this.#fail(message.failure);
        break;
      case "models":
        break; // asked for elsewhere
    }
  }

  lost(error: GatewayError): void {
    this.#over(error);
  }

  async #start(): Promise<void> {
    const { stores, process, account } = this.#deps;
    const { model, state } = this.#context;
    this.#place ??= stores.begin(state);
    const place = this.#place;
    const found = await process();
    if (this.#isOver) return;
    this.#process = found;
    const { system, tools, messages, toolChoice } = this.#turn;
    // A conversation that goes on was told its system prompt at the start.
    const inText = account.isSystemPromptRefused && place.agentId === undefined ? system : "";
    found.open(place.turn, this);
    this.#watch();
    found.send({
      type: "start",
      turn: place.turn,
      agentId: place.agentId,
      store: place.folder,
      model: { id: model.id, params: model.parameters },
      system: account.isSystemPromptRefused ? "" : system,
      tools: toolChoice.type === "none" ? [] : tools,
      message: encodeMessage(messages, inText),
    });
  }

  #say(type: "text" | "thinking", delta: string): void {
    if (delta === "") return;
    this.#hasSpoken = true;
    this.#meter.said(Buffer.byteLength(delta));
    const { batch } = this.#queue;
    const last = batch.at(-1);
    if (last?.type === type) last.delta += delta;
    else batch.push({ type, delta });
    this.#heldCharacters += delta.length;
    if (this.#queue.commit()) this.#heldCharacters = 0;
    else if (this.#heldCharacters > MAX_HELD_CHARACTERS)
      this.#breakOff(new GatewayError("canceled", "The reply was given up: its reader took nothing of it."));
  }

  #tellCall(upstreamId: string, name: string, input: string): void {
    this.#hasSpoken = true;
    const id = this.#context.newCallId();
    this.#calls.set(id, { id, upstreamId, name, input });
    this.#stopStallTimer();
    this.#toldCalls++;
    this.#meter.said(Buffer.byteLength(name + input));
    this.#queue.batch.push(
      { type: "call", id, name, runs: "client" },
      { type: "call-input", id, delta: input },
      { type: "call-end", id },
    );
    this.#queue.commit();
    this.#waitForMoreCalls();
  }

  #waitForMoreCalls(): void {
    const { clock, limits } = this.#deps;
    this.#stopQuietTimer();
    if (this.#toldCalls > 0 && this.#isRead) this.#stopQuietTimer = clock.after(limits.quietMs, () => this.#pause());
  }

  #pause(): void {
    this.#queue.batch.push({ type: "usage", usage: this.#meter.atPause() }, { type: "finish", reason: "tool-calls" });
    this.#queue.end();
    this.#queue = this.#newQueue();
    this.#isRead = false;
    this.#toldCalls = 0;
  }

  #newQueue(): EventQueue {
    return new EventQueue(() => {
      this.#heldCharacters = 0;
    });
  }

  #finish(agentId: string): void {
    const { batch } = this.#queue;
    const { usage, turn } = this.usageSoFar();
    if (this.#place !== undefined) {
      const state = this.#deps.stores.stateAfter(this.#place, agentId);
      batch.push({ type: "checkpoint", state, phase: "settled" });
    }
    batch.push({ type: "usage", usage, turn }, { type: "finish", reason: "stop" });
    this.#over();
  }

  #fail(failure: SdkFailure): void {
    const { account } = this.#deps;
    if (!this.#hasSpoken && !account.isSystemPromptRefused && isSystemPromptRefused(failure)) {
      account.isSystemPromptRefused = true;
      this.#start().catch((thrown) => this.#over(GatewayError.from(thrown)));
    } else this.#over(toSdkError(failure));
  }

  #watch(): void {
    const { clock, limits } = this.#deps;
    this.#stopStallTimer();
    if (this.#calls.size > 0 || this.#isOver) return;
    this.#stopStallTimer = clock.after(limits.stallMs, () => {
      const text = `The model has made no progress for ${Math.round(limits.stallMs / 1000)} s. Try again or simplify the task.`;
      this.#breakOff(new GatewayError("timeout", text));
    });
  }

  #breakOff(error: GatewayError): void {
    if (this.#isOver) return;
    if (this.#place !== undefined) this.#process?.send({ type: "cancel", turn: this.#place.turn });
    this.#over(error);
  }

  #over(error?: GatewayError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopStallTimer();
    this.#stopQuietTimer();
    this.#calls.clear();
    if (this.#place !== undefined) this.#process?.close(this.#place.turn);
    this.#queue.end(error);
    for (const callback of this.#overCallbacks.splice(0)) callback();
  }
}

function counted({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens = 0 }: SdkUsage) {
  return {
    inputTokens: BigInt(inputTokens),
    outputTokens: BigInt(outputTokens),
    cacheReadTokens: BigInt(cacheReadTokens),
    cacheWriteTokens: BigInt(cacheWriteTokens),
    reasoningTokens: BigInt(reasoningTokens),
  };
}
