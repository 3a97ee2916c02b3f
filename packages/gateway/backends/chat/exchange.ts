import type { Agent } from "node:http";
import type { TokenSource } from "../../account/token.js";
import { brokenOff } from "../../network/index.js";
import type { Clock } from "../../system/clock.js";
import { GatewayError } from "../../turn/error.js";
import type { ClaimedClient } from "../backend-parts.js";
import { TurnExchange } from "../exchange/index.js";
import { type Chat, type ChatCall, encodeChat } from "./calls.js";
import { CallNotServed, readChat } from "./chat-stream.js";
import { chatHeaders } from "./headers.js";

export interface ChatExchangeSettings {
  readonly backendUrl: string;
  readonly checksum: string | undefined;
  /** A call without a byte for this long will never be answered. */
  readonly silenceMs: number;
}

interface ExchangeDeps {
  readonly settings: ChatExchangeSettings;
  readonly tokens: TokenSource;
  readonly clock: Clock;
  readonly client: ClaimedClient;
  readonly agent: Agent;
  /** The calls in the order in which they are tried: the next one when the server lacks or has retired the one before. */
  readonly calls: readonly ChatCall[];
  readonly onAnswered: (call: ChatCall) => void;
}

export class ChatExchange extends TurnExchange<ExchangeDeps> {
  readonly openCalls = [];
  readonly #leaving = new AbortController();
  #resume: () => void = () => {};
  #stopWaiting: () => void = () => {};

  answer(): void {}

  protected async run(): Promise<void> {
    const { calls, tokens, onAnswered } = this.deps;
    const chat = encodeChat(this.turn, this.context);
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
      if (error.kind === "authentication" && !hasRenewed && !this.replies.hasSpoken) {
        hasRenewed = true;
        token = await tokens.renew(token, this.#leaving.signal);
      } else {
        const isMissing = error instanceof CallNotServed;
        // A retired call is a better explanation than a missing one.
        failure = isMissing ? (failure ?? error) : error;
        call = isMissing || error.code === "client_outdated" ? left.shift() : undefined;
        if (call === undefined) throw failure;
      }
    }
    this.finish("stop");
  }

  protected leave(): void {
    this.#leaving.abort();
    this.#resume();
  }

  protected override onTaken(): void {
    this.#resume();
  }

  async #attempt(call: ChatCall, chat: Chat, token: string): Promise<GatewayError | undefined> {
    const { settings, client, agent, clock } = this.deps;
    try {
      if (this.brokenOffBy !== undefined) return this.brokenOffBy;
      this.#watch();
      await readChat({
        url: new URL(call.path, settings.backendUrl),
        headers: chatHeaders(token, { ...settings, client, requestId: chat.requestId, nowMs: clock.now() }),
        message: call.encode(chat),
        agent,
        signal: this.#leaving.signal,
        onMessage: (payload) => {
          for (const event of call.decode(payload)) this.replies.write(event);
        },
        onChunk: () => this.#delivered(),
      });
      return undefined;
    } catch (thrown) {
      return this.brokenOffBy ?? (thrown instanceof GatewayError ? thrown : brokenOff(thrown));
    } finally {
      this.#stopWaiting();
    }
  }

  /** Resolves when the reader has taken everything. Silence in the meantime is caused by us. */
  async #delivered(): Promise<void> {
    this.#stopWaiting();
    if (!this.replies.commit()) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
    this.#watch();
  }

  #watch(): void {
    const { clock, settings } = this.deps;
    const { silenceMs } = settings;
    this.#stopWaiting = clock.after(silenceMs, () => {
      const text =
        `Cursor has not answered its old chat call for ${Math.round(silenceMs / 1000)} s, which is usual since Cursor retired these calls. ` +
        "Try again, or use the agent backend: --backend agent.";
      this.breakOff(new GatewayError("timeout", text));
    });
  }
}
