import type { FrameWriter } from "../../frame.js";
import type { BackgroundEncoder, BackgroundRun } from "../../front.js";
import type { ReplyReader } from "./reply-reader.js";
import { RunningReply, type RunningReplyDeps } from "./running-reply.js";

export interface BackgroundReplyDeps extends RunningReplyDeps {
  readonly encoderOn: (out: FrameWriter) => BackgroundEncoder<unknown>;
  /** Keeps the reply as it is now. */
  readonly store: (reply: unknown) => void;
  /** Called when the run has ended. */
  readonly onEnded: (reply: BackgroundReply) => void;
}

/**
 * A reply that nobody needs to read: it neither waits for readers nor ends without them. Its frames are kept one by one, so that a
 * reader can begin after any of them. Keep-alives belong to the reader that waits, not to the reply.
 */
export class BackgroundReply extends RunningReply implements BackgroundRun {
  /** The reply as it was when it was asked for. */
  readonly first: unknown;
  readonly #store: (reply: unknown) => void;
  readonly #onEnded: (reply: BackgroundReply) => void;
  readonly #encoder: BackgroundEncoder<unknown>;

  constructor(deps: BackgroundReplyDeps) {
    super(deps);
    this.#store = deps.store;
    this.#onEnded = deps.onEnded;
    this.open({});
    this.#encoder = deps.encoderOn(this);
    this.first = this.#encoder.queue();
    this.#store(this.first);
  }

  get id(): string {
    return this.#encoder.id;
  }

  get isReadable(): boolean {
    return !this.isClosed;
  }

  override get waitsForClient(): boolean {
    return false;
  }

  /** Writes and keeps that the run has begun. Returns the encoder of what it says. */
  begin(model: string): BackgroundEncoder<unknown> {
    if (!this.hasEnded) this.#store(this.#encoder.begin(model));
    this.flush();
    return this.#encoder;
  }

  /** Ends the reply with what its encoder writes last. */
  finish(write: (encoder: BackgroundEncoder<unknown>) => unknown): void {
    if (this.hasEnded) return;
    const last = write(this.#encoder);
    try {
      this.#store(last);
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

  /** Answers a client that wants to know the id alone. Resolves when it has the answer, or has left. */
  async sendFirst(reader: ReplyReader, retries: number): Promise<void> {
    this.retries = Math.max(this.retries, retries);
    const headers = { "content-type": "application/json" };
    reader.answer({ status: 200, headers, text: JSON.stringify(this.first) });
    await reader.over;
    this.isLost = !reader.hasAll;
  }

  override write(frame: string): void {
    this.keep(frame);
  }

  /** A note comes after the last frame, and so it moves none. */
  override comment(text: string): void {
    this.keep(this.framing.comment(text));
  }

  override end(): void {
    if (this.hasEnded) return;
    super.end();
    this.#onEnded(this);
  }

  override beat(): void {}

  protected override get hasRoom(): boolean {
    return true;
  }

  protected override desert(): void {}

  protected override abandon(): void {}
}
