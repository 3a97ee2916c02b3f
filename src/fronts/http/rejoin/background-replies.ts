import type { Clock } from "../../../clock.js";
import { GatewayError } from "../../../turn/error.js";
import { BackgroundReply, type BackgroundReplyDeps } from "./background-reply.js";

/** Each holds its request in memory and a run at Cursor. No account is allowed nearly as many. */
const MAX_RUNNING = 100;
/** An event of a few letters takes 200 characters, so this is an answer of 200 KB. A longer one is kept without its events. */
export const MAX_EVENT_CHARS = 8 * 1024 * 1024;
/** The events of all replies that have ended. The ones that ended first give way. */
export const MAX_ENDED_CHARS = 32 * 1024 * 1024;
/** OpenAI names about the same time. */
export const EVENTS_KEPT_MS = 10 * 60_000;

/** The replies that are made in the background, and for some time the ones that were. */
export class BackgroundReplies {
  readonly #clock: Clock;
  readonly #running = new Map<string, BackgroundReply>();
  /** The ones that ended first come first. */
  readonly #ended = new Map<string, BackgroundReply>();
  #endedChars = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(owner: string, id: string): BackgroundReply | undefined {
    const key = keyOf(owner, id);
    return this.#running.get(key) ?? this.#ended.get(key);
  }

  /** @throws {GatewayError} `overloaded`, if too many are being made. */
  start(deps: Omit<BackgroundReplyDeps, "onEnded" | "clock" | "maxKeptChars">): BackgroundReply {
    if (this.#running.size >= MAX_RUNNING) throw tooMany();
    const onEnded = (ended: BackgroundReply) => this.#end(ended);
    const reply = new BackgroundReply({ ...deps, maxKeptChars: MAX_EVENT_CHARS, clock: this.#clock, onEnded });
    this.#running.set(keyOf(deps.client.owner, reply.id), reply);
    return reply;
  }

  #end(reply: BackgroundReply): void {
    const key = keyOf(reply.client.owner, reply.id);
    this.#running.delete(key);
    if (!reply.isReadable) return;
    this.#ended.set(key, reply);
    this.#endedChars += reply.keptChars;
    this.#clock.after(EVENTS_KEPT_MS, () => this.#forget(key));
    for (const oldest of this.#ended.keys()) {
      if (this.#endedChars <= MAX_ENDED_CHARS) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const reply = this.#ended.get(key);
    if (reply === undefined) return;
    this.#ended.delete(key);
    this.#endedChars -= reply.keptChars;
    reply.close();
  }
}

function keyOf(owner: string, id: string): string {
  return `${id} ${owner}`;
}

function tooMany(): GatewayError {
  return new GatewayError(
    "overloaded",
    `${MAX_RUNNING} responses are being made in the background. Wait until one of them ends, or cancel one.`,
    { retryAfterMs: 30_000 },
  );
}
