import type { Clock } from "../../system/clock.js";
import type { SentResult } from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import type { Usage } from "../../turn/event.js";
import type { SentTurn } from "../../turn/turn.js";
import type { ClientCall, StartContext } from "../backend.js";
import { TurnExchange } from "../exchange/index.js";
import { encodeMessage, encodeResult } from "./encode.js";
import { isSystemPromptRefused, toSdkError } from "./errors.js";
import type { SdkProcess, TurnListener } from "./process.js";
import type { SdkFailure, SdkUsage, TurnMessage } from "./protocol.js";
import type { AgentLocation, ConversationStores } from "./stores.js";

export interface SdkTurnLimits {
  /** A turn without output of the model for this long is stuck. Time in which the client runs calls does not count. */
  readonly stallMs: number;
  /** How long to wait for another parallel call, because the SDK does not say when all have come. */
  readonly quietMs: number;
}

export interface SdkExchangeDeps {
  readonly clock: Clock;
  readonly limits: SdkTurnLimits;
  readonly stores: ConversationStores;
  readonly process: () => Promise<SdkProcess>;
  readonly account: { isSystemPromptRefused: boolean };
}

/** One turn over any number of replies. The SDK cannot be paused: after half a minute it takes the connection for dead. */
export class SdkExchange extends TurnExchange<SdkExchangeDeps> implements TurnListener {
  readonly #calls = new Map<string, ClientCall>();
  #process: SdkProcess | undefined;
  #location: AgentLocation | undefined;
  #stopStallTimer: () => void = () => {};

  constructor(turn: SentTurn, context: StartContext, deps: SdkExchangeDeps) {
    super(turn, context, deps, deps.limits.quietMs);
    this.replies.meter.modelCall();
  }

  get openCalls(): readonly ClientCall[] {
    return [...this.#calls.values()];
  }

  answer(result: SentResult): void {
    const call = this.#calls.get(result.callId);
    if (call === undefined || this.#location === undefined) return;
    this.#calls.delete(result.callId);
    if (this.#calls.size === 0) this.replies.meter.modelCall(); // the SDK has all results of the group, and asks the model again
    this.#watch();
    const { turn } = this.#location;
    this.#process?.send({ type: "answer", turn, call: call.upstreamId, result: encodeResult(result) });
  }

  // The methods of TurnListener, called for messages of the process about this turn.

  message(message: TurnMessage): void {
    if (this.isOver) return;
    this.#watch();
    switch (message.type) {
      case "text":
      case "thinking":
        if (message.delta === "") break;
        this.replies.say(message.type, message.delta);
        this.deliver();
        break;
      case "call":
        this.#onCall(message.call, message.name, message.input);
        break;
      case "usage":
        this.replies.meter.measured(toUsage(message.usage));
        break;
      case "end":
        this.finish("stop", this.#location && this.deps.stores.stateAfter(this.#location, message.agentId));
        break;
      case "failed":
        this.#onFailed(message.failure);
        break;
      case "models":
        break; // requested elsewhere
    }
  }

  lost(error: GatewayError): void {
    this.fail(error);
  }

  protected async run(): Promise<void> {
    const { stores, process, account } = this.deps;
    const { model, state } = this.context;
    this.#location ??= stores.begin(state);
    const location = this.#location;
    const found = await process();
    if (this.isOver) return;
    this.#process = found;
    const { system, tools, messages, toolChoice } = this.turn;
    // A resumed conversation got its system prompt at its start.
    const inText = account.isSystemPromptRefused && location.agentId === undefined ? system : "";
    found.open(location.turn, this);
    this.#watch();
    found.send({
      type: "start",
      turn: location.turn,
      agentId: location.agentId,
      store: location.folder,
      model: { id: model.id, params: model.parameters },
      system: account.isSystemPromptRefused ? "" : system,
      tools: toolChoice.type === "none" ? [] : tools,
      message: encodeMessage(messages, inText),
    });
  }

  protected leave(): void {
    if (this.#location !== undefined) this.#process?.send({ type: "cancel", turn: this.#location.turn });
  }

  protected override letGo(): void {
    this.#stopStallTimer();
    this.#calls.clear();
    if (this.#location !== undefined) this.#process?.close(this.#location.turn);
  }

  #onCall(upstreamId: string, name: string, input: string): void {
    const call = { id: this.context.newCallId(), upstreamId, name, input };
    this.#calls.set(call.id, call);
    this.#stopStallTimer();
    this.replies.call(call);
    this.deliver();
  }

  #onFailed(failure: SdkFailure): void {
    const { account } = this.deps;
    if (!this.replies.hasSpoken && !account.isSystemPromptRefused && isSystemPromptRefused(failure)) {
      account.isSystemPromptRefused = true;
      this.meter.runs++;
      this.run().catch((thrown) => this.fail(GatewayError.from(thrown)));
    } else {
      const { nearWindowTokens } = this;
      this.fail(toSdkError(failure, { nearWindowTokens, contextTokens: this.context.model.contextTokens }));
    }
  }

  #watch(): void {
    const { clock, limits } = this.deps;
    this.#stopStallTimer();
    if (this.#calls.size > 0 || this.isOver) return;
    this.#stopStallTimer = clock.after(limits.stallMs, () => {
      const text = `The model has made no progress for ${Math.round(limits.stallMs / 1000)} s. Try again or simplify the task.`;
      this.breakOff(new GatewayError("timeout", text));
    });
  }
}

function toUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, ...rest }: SdkUsage): Usage {
  const { reasoningTokens = 0 } = rest;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, estimated: false };
}
