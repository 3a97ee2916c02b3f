import type { Clock } from "../../../system/clock.js";
import { GatewayError } from "../../../turn/error.js";
import type { FrameWriter } from "../../frame.js";
import type { BackgroundEncoder, BackgroundRun } from "../../front.js";
import { jsonAnswer } from "../answer.js";
import { RecordedReply, type RecordedReplyDeps } from "./recorded-reply.js";
import type { ReplyReader } from "./reply-reader.js";

interface BackgroundReplyDeps extends RecordedReplyDeps {
  readonly encoderOn: (out: FrameWriter) => BackgroundEncoder<unknown>;
  readonly store: (reply: unknown) => void;
  readonly onEnded: (reply: BackgroundReply) => void;
}

/** A reply that needs no reader. It is stored at each step. */
export class BackgroundReply extends RecordedReply implements BackgroundRun {
  /** The reply in its first state, queued. */
  readonly first: unknown;
  readonly #own: Pick<BackgroundReplyDeps, "store" | "onEnded">;
  readonly #encoder: BackgroundEncoder<unknown>;
  #begunWith: string | undefined;

  constructor(deps: BackgroundReplyDeps) {
    super({ ...deps, needsReader: false });
    this.#own = deps;
    this.open({});
    this.#encoder = deps.encoderOn(this);
    this.first = this.#encoder.queue();
    this.#own.store(this.first);
  }

  get id(): string {
    return this.#encoder.id;
  }

  /** Writes and stores, once per model, that a run has begun. Returns the encoder of its events. */
  begin(model: string): BackgroundEncoder<unknown> {
    if (!this.hasEnded && model !== this.#begunWith) this.#own.store(this.#encoder.begin(model));
    this.#begunWith = model;
    this.flush();
    return this.#encoder;
  }

  finish(write: (encoder: BackgroundEncoder<unknown>) => unknown): void {
    if (this.hasEnded) return;
    const last = write(this.#encoder);
    try {
      this.#own.store(last);
    } finally {
      this.end();
    }
  }

  cancel(): void {
    if (this.hasEnded) return;
    this.record.outcome = "canceled";
    this.abort();
    this.finish((encoder) => encoder.cancel());
  }

  /** Answers a client that does not stream: it needs only the id. Resolves when it has the answer, or has left. */
  async sendFirst(reader: ReplyReader, retries = 0): Promise<void> {
    this.retries = Math.max(this.retries, retries);
    reader.answer(jsonAnswer(this.first));
    await reader.over;
    this.isLost = !reader.hasAll;
  }

  override end(): void {
    if (this.hasEnded) return;
    super.end();
    this.#own.onEnded(this);
  }
}

/** From this number on, an owner may start more only below its fair share: the number, divided by the owners. */
const MAX_RUNNING = 100;
/** An event of a few letters takes 200 characters, so this is an answer of 200 KB. A longer one is kept without its events. */
export const MAX_EVENT_CHARS = 8 * 1024 * 1024;
/** The limit for the events of all ended replies. Those that ended first are evicted. */
export const MAX_ENDED_CHARS = 32 * 1024 * 1024;
/** OpenAI names about the same time. */
export const EVENTS_KEPT_MS = 10 * 60_000;

/** The running background replies and, for some time, those that have ended. */
export class BackgroundReplies {
  readonly #clock: Clock;
  readonly #running = new Map<string, BackgroundReply>();
  /** In the order in which they ended. */
  readonly #ended = new Map<string, BackgroundReply>();
  #endedChars = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(owner: string, id: string): BackgroundReply | undefined {
    const key = keyOf(owner, id);
    return this.#running.get(key) ?? this.#ended.get(key);
  }

  /** @throws {GatewayError} `overloaded`, if too many are running and this owner has its share of them. */
  start(deps: Omit<BackgroundReplyDeps, "onEnded" | "maxKeptChars">): BackgroundReply {
    const { owner } = deps.client;
    const holders = Array.from(this.#running.values(), ({ client }) => client.owner);
    const held = holders.filter((holder) => holder === owner).length;
    if (holders.length >= MAX_RUNNING && held >= MAX_RUNNING / new Set([...holders, owner]).size) throw tooMany(held);
    const onEnded = (ended: BackgroundReply) => this.#end(ended);
    const reply = new BackgroundReply({ ...deps, maxKeptChars: MAX_EVENT_CHARS, onEnded });
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

function tooMany(held: number): GatewayError {
  return new GatewayError(
    "overloaded",
    `Too many background responses are running, ${held} of them yours. Wait until one of yours ends, or cancel one.`,
    { retryAfterMs: 30_000 },
  );
}
