import type { Agent } from "node:http";
import type { TokenSource } from "../../auth/token.js";
import type { Clock } from "../../clock.js";
import { GatewayError } from "../../turn/error.js";
import { estimatedUsage } from "../../turn/estimate.js";
import type { TurnEvents, Usage } from "../../turn/event.js";
import { EventQueue } from "../../turn/event-queue.js";
import type { SentTurn } from "../../turn/turn.js";
import type { CloseReason, Exchange, StartContext } from "../backend.js";
import { closedBy } from "../closed.js";
import type { Chat, ChatCall } from "./calls.js";
import { brokenOff, CallNotServed, readChat } from "./chat-stream.js";
import { encodeChat } from "./encode.js";
import { chatHeaders } from "./headers.js";

export interface ChatExchangeDeps {
  readonly tokens: TokenSource;
  readonly backendUrl: string;
  /** Sent in place of a checksum of our own making. */
  readonly checksum?: string | undefined;
  /** Not a byte for so long: the call will never be answered. */
  readonly silenceMs: number;
  readonly clock: Clock;
  /** The version of the desktop app that Curlew presents itself as, where the owner sets one. */
  readonly clientVersion?: string | undefined;
}

interface ExchangeDeps extends ChatExchangeDeps {
  readonly agent: Agent;
  /** In the order in which they are tried: the next one only when the server has retired one, or never had it. */
  readonly calls: readonly ChatCall[];
  readonly onAnswered: (call: ChatCall) => void;
}

/** One question and its answer. */
export class ChatExchange implements Exchange {
  readonly openCalls = [];
  readonly #turn: SentTurn;
  readonly #context: StartContext;
  readonly #deps: ExchangeDeps;
  readonly #leaving = new AbortController();
  readonly #queue = new EventQueue(() => this.#onTaken());
  readonly #overCallbacks: (() => void)[] = [];
  #onTaken: () => void = () => {};
  #stopWaiting: () => void = () => {};
  /** Why it was broken off by us. */
  #reason: GatewayError | undefined;
  #saidCharacters = 0;
  #isStarted = false;
  #isOver = false;

  constructor(turn: SentTurn, context: StartContext, deps: ExchangeDeps) {
    this.#turn = turn;
    this.#context = context;
    this.#deps = deps;
  }

  events(): TurnEvents {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#run().then(
        () => this.#over(),
        (thrown) => this.#over(GatewayError.from(thrown)),
      );
    }
    return this.#queue;
  }

  answer(): void {}

  close(reason: CloseReason): void {
    this.#breakOff(closedBy(reason));
  }

  usageSoFar(): { usage: Usage; turn: Usage } {
    const usage = estimatedUsage(this.#context.estimatedTokens, this.#saidCharacters);
    return { usage, turn: usage };
  }

  onOver(callback: () => void): void {
    if (this.#isOver) callback();
    else this.#overCallbacks.push(callback);
  }

  async #run(): Promise<void> {
    const { calls, tokens, onAnswered } = this.#deps;
    const chat = encodeChat(this.#turn, this.#context);
    const left = [...calls];
    let hasRenewed = false;
    let token = await tokens.get(this.#leaving.signal);
    let failure: GatewayError | undefined;
    for (let call = left.shift(); call !== undefined; ) {
      const error = await this.#attempt(call, chat, token);
      if (error === undefined) {
        onAnswered(call);
        break;
      }
      if (error.kind === "authentication" && !hasRenewed && this.#saidCharacters === 0) {
        hasRenewed = true;
        token = await tokens.renew(token, this.#leaving.signal);
      } else {
        const isMissing = error instanceof CallNotServed;
        // That a call is retired says more than that another one is missing.
        failure = isMissing ? (failure ?? error) : error;
        call = isMissing || error.code === "client_outdated" ? left.shift() : undefined;
        if (call === undefined) throw failure;
      }
    }
    this.#queue.batch.push({ type: "usage", ...this.usageSoFar() }, { type: "finish", reason: "stop" });
  }

  async #attempt(call: ChatCall, chat: Chat, token: string): Promise<GatewayError | undefined> {
    const { backendUrl, checksum, clientVersion, agent, clock } = this.#deps;
    try {
      if (this.#reason !== undefined) return this.#reason;
      this.#watch();
      await readChat({
        url: new URL(call.path, backendUrl),
        headers: chatHeaders({ token, requestId: chat.requestId, nowMs: clock.now(), checksum, clientVersion }),
        message: call.encode(chat),
        agent,
        signal: this.#leaving.signal,
        onMessage: (payload) => this.#push(call, payload),
        onChunk: () => this.#delivered(),
      });
      return undefined;
    } catch (thrown) {
      return this.#reason ?? (thrown instanceof GatewayError ? thrown : brokenOff(thrown));
    } finally {
      this.#stopWaiting();
    }
  }

  /** What comes in one chunk belongs into as few events as it can. */
  #push(call: ChatCall, payload: Uint8Array): void {
    const { batch } = this.#queue;
    for (const event of call.decode(payload)) {
      if (event.type !== "text" && event.type !== "thinking") continue;
      this.#saidCharacters += event.delta.length;
      const last = batch.at(-1);
      if (last?.type === event.type) last.delta += event.delta;
      else batch.push(event);
    }
  }

  /** Resolves when the reader has taken what there is. Silence in the meantime is our own doing. */
  async #delivered(): Promise<void> {
    this.#stopWaiting();
    if (!this.#queue.commit()) {
      await new Promise<void>((resolve) => {
        this.#onTaken = resolve;
      });
    }
    this.#watch();
  }

  #watch(): void {
    const { clock, silenceMs } = this.#deps;
    this.#stopWaiting = clock.after(silenceMs, () => {
      const text =
        `Cursor has not answered its old chat call for ${Math.round(silenceMs / 1000)} s, as it does since they are retired. ` +
        "Try again, or use the agent backend: --backend agent.";
      this.#breakOff(new GatewayError("timeout", text));
    });
  }

  #breakOff(reason: GatewayError): void {
    if (this.#isOver) return;
    this.#reason ??= reason;
    this.#leaving.abort();
    this.#onTaken();
    this.#over(reason);
  }

  #over(error?: GatewayError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#queue.end(error);
    for (const callback of this.#overCallbacks.splice(0)) callback();
  }
}
