import { type Clock, settlesWithin } from "../../../system/clock.js";
import type { SentResult } from "../../../turn/blocks.js";
import { GatewayError } from "../../../turn/error.js";
import type { FinishReason } from "../../../turn/event.js";
import type { SentTurn } from "../../../turn/turn.js";
import type { ClientCall, Exchange, StartContext } from "../../backend.js";
import { TurnExchange } from "../../exchange/index.js";
import { toCliError } from "../errors.js";
import { nextPrompt, openingPrompt } from "../prompt.js";
import { ErrorLine, UpdateDecoder } from "./decode.js";
import type { AcpLimits } from "./pool.js";
import type { AcpSession } from "./session.js";

const TICK_MS = 1_000;
const TOOLS_IGNORED =
  "The Cursor CLI did not load the tools of this request, so the model had none. Run `cursor-agent update`.";

export interface HeldSession {
  readonly session: AcpSession;
  readonly release: () => void;
}

export interface AcpExchangeDeps {
  readonly clock: Clock;
  readonly limits: Pick<AcpLimits, "quietMs" | "noProgressMs" | "cancelMs">;
  readonly resume: (state: Uint8Array) => HeldSession | undefined;
  readonly open: (turn: SentTurn, context: StartContext) => Promise<HeldSession>;
  readonly keep: (session: AcpSession) => Uint8Array;
  readonly onLoginRefused: (session: AcpSession) => void;
  /** Serves the turn without ACP, for a build that does not know it. */
  readonly instead: ((turn: SentTurn, context: StartContext) => Exchange) | undefined;
}

/** One prompt, open over any number of replies. Its process serves others too, and cannot be paused for a slow reader. */
export class AcpExchange extends TurnExchange<AcpExchangeDeps> {
  readonly #decoder = new UpdateDecoder();
  readonly #errorLine = new ErrorLine();
  #session: AcpSession | undefined;
  #lastProgressMs = this.deps.clock.now();
  #giveUp: (error: GatewayError) => void = () => {};

  constructor(turn: SentTurn, context: StartContext, deps: AcpExchangeDeps) {
    super(turn, context, deps, deps.limits.quietMs);
  }

  get openCalls(): readonly ClientCall[] {
    return this.isOver ? [] : (this.#session?.calls.open ?? []);
  }

  answer(result: SentResult): void {
    if (this.#session?.calls.answer(result) === true) this.#lastProgressMs = this.deps.clock.now();
  }

  protected async run(): Promise<void> {
    const { state, maxRetries = 1 } = this.context;
    if (state !== undefined) {
      const prompt = nextPrompt(this.turn);
      const held = prompt && this.deps.resume(state);
      if (prompt === undefined || held === undefined) throw sessionGone();
      return this.#play(held, prompt);
    }
    for (let attempt = 0; ; attempt++) {
      this.#checkOpen();
      try {
        return await this.#play(await this.deps.open(this.turn, this.context), openingPrompt(this.turn));
      } catch (thrown) {
        const error = GatewayError.from(thrown);
        const isUnknown = error.code === "client_outdated" && this.#session === undefined;
        this.#checkOpen();
        if (isUnknown && this.deps.instead) return this.#passOn(this.deps.instead(this.turn, this.context));
        // A warm process may have died since its last use, so the turn is retried once with another.
        if (this.replies.hasSpoken || !error.isRetryable || attempt >= Math.min(1, maxRetries)) {
          throw attempt > 0 ? error.with({ wasRetried: true }) : error;
        }
        this.meter.runs++;
        this.meter.retries++;
      }
    }
  }

  protected leave(reason: GatewayError): void {
    this.#giveUp(reason);
  }

  /** Answers with the events of another exchange. */
  async #passOn(other: Exchange): Promise<void> {
    this.#giveUp = () => other.close("client-left");
    other.onWarning((warning) => this.warn(warning));
    for await (const batch of other.events()) {
      for (const event of batch) {
        if (event.type === "usage") this.replies.meter.measured(event.turn ?? event.usage);
        else if (event.type === "finish") this.finish(event.reason);
        else this.replies.write(event);
      }
      this.deliver();
    }
  }

  async #play({ session, release }: HeldSession, prompt: ReturnType<typeof openingPrompt>): Promise<void> {
    const { callable, newCallId } = this.context;
    this.#session = session;
    let isKept = false;
    try {
      this.#checkOpen();
      session.calls.begin({ callable, newCallId, onCall: (call) => this.#onCall(call) });
      const reason = finishReason(await this.#prompt(session, prompt));
      const { text, failure } = this.#errorLine.end();
      this.#say(text);
      if (failure !== undefined) throw this.#judge(failure);
      if (!session.knowsTools) throw new GatewayError("client_outdated", TOOLS_IGNORED);
      isKept = reason === "stop" && session.calls.open.length === 0;
      session.calls.end();
      this.finish(reason, isKept ? this.deps.keep(session) : undefined);
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      if (error.kind === "authentication") this.deps.onLoginRefused(session);
      // The conversation is lost with its process. If nothing of this reply was read, the gateway can send the transcript.
      const isLater = this.context.state !== undefined || this.replies.hasSpoken;
      throw session.process.isOver && isLater && this.replies.isEmpty ? sessionGone() : error;
    } finally {
      if (!isKept) session.close();
      release();
    }
  }

  /** Resolves when the CLI has finished; rejects when the turn was given up, after the CLI has stopped or was killed. */
  async #prompt(session: AcpSession, prompt: ReturnType<typeof openingPrompt>): Promise<string> {
    const { clock, limits } = this.deps;
    const givenUp = new Promise<never>((_, reject) => {
      this.#giveUp = reject;
    });
    this.#lastProgressMs = clock.now();
    const stopTicking = clock.every(TICK_MS, () => this.#watch(session));
    const forget = session.process.onOver(() => {
      if (!this.replies.isRead) this.fail(sessionGone()); // fails at once, because no request must come back to a lost turn
    });
    const stopped = session.prompt(prompt, {
      onUpdate: (update) => this.#onUpdate(update),
      judge: (words) => this.#judge(words),
    });
    try {
      return await Promise.race([stopped, givenUp]);
    } catch (thrown) {
      session.cancel();
      if (!(await settlesWithin(limits.cancelMs, stopped, clock))) session.process.retire();
      throw thrown;
    } finally {
      this.#giveUp = () => {};
      forget();
      stopTicking();
    }
  }

  #onUpdate(update: unknown): void {
    if (this.isOver) return; // late updates of a turn that was given up
    this.#lastProgressMs = this.deps.clock.now();
    for (const event of this.#decoder.push(update)) {
      if (event.type === "text") this.#say(this.#errorLine.push(event.delta));
      else {
        this.#say(this.#errorLine.disprove());
        this.replies.write(event);
      }
    }
    this.deliver();
  }

  #onCall(call: ClientCall): void {
    if (this.isOver) return;
    this.#lastProgressMs = this.deps.clock.now();
    this.#say(this.#errorLine.disprove());
    this.replies.call(call);
    this.deliver();
  }

  #say(text: string): void {
    if (text !== "") this.replies.say("text", text);
  }

  #judge(words: string): GatewayError {
    return toCliError(words, { isNearWindow: this.nearWindowTokens !== undefined });
  }

  #watch(session: AcpSession): void {
    const { clock, limits } = this.deps;
    if (clock.now() - this.#lastProgressMs < limits.noProgressMs || session.calls.open.length > 0) return;
    const text = `The Cursor CLI has said nothing for ${Math.round(limits.noProgressMs / 1000)} s. Try again.`;
    this.breakOff(new GatewayError("timeout", text));
  }

  #checkOpen(): void {
    if (this.brokenOffBy !== undefined) throw this.brokenOffBy;
  }
}

function sessionGone(): GatewayError {
  const text = "The Cursor CLI no longer has the session of this conversation. Send the whole conversation.";
  return new GatewayError("session_expired", text);
}

function finishReason(stopReason: string): FinishReason {
  switch (stopReason) {
    case "max_tokens":
    case "max_turn_requests":
      return "length";
    case "refusal":
      return "filtered";
    case "cancelled":
      throw new GatewayError("upstream_error", "The Cursor CLI cancelled the turn by itself. Try again.");
    default:
      return "stop";
  }
}
