import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import type { GatewayError } from "../../../turn/error.js";
import { RunAnswer } from "./run-answer.js";
import type { RunChannel, RunSink } from "./run-channel.js";
import { askedTooMuch, FULL_BYTES, MAX_HELD_BYTES } from "./unread.js";

/** A run over HTTP/2: both directions on one stream. */
export class RunStream implements RunChannel {
  readonly #stream: ClientHttp2Stream;
  readonly #answer: RunAnswer;
  readonly #now: () => number;
  /** Whether the consumer is behind. */
  #isHeld = false;
  /** Whether the server is behind with our answers. */
  #isFull = false;

  constructor(stream: ClientHttp2Stream, sink: RunSink, now: () => number) {
    this.#stream = stream;
    this.#now = now;
    this.#answer = new RunAnswer({ sink, now, onOver: () => this.#letGo() });
    stream.once("response", (headers: IncomingHttpHeaders) => {
      const status = headers[":status"] as unknown as number;
      const header = (name: string) => String(headers[name] ?? "");
      this.#answer.read(stream, { status, header }, (reason) => this.cancel(reason));
    });
    stream.on("drain", () => {
      this.#isFull = false;
      this.#flow();
    });
    stream.on("error", (cause) => this.#answer.lose(cause));
    stream.once("close", () => this.#answer.finish());
  }

  get lastInMs(): number {
    return this.#answer.lastInMs;
  }

  get heldBytes(): number {
    return this.#answer.heldBytes;
  }

  set heldBytes(bytes: number) {
    this.#answer.heldBytes = bytes;
  }

  get isPaused(): boolean {
    return this.#isHeld;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  write(frame: Buffer): void {
    if (this.#answer.isOver || this.#stream.destroyed || this.#stream.writableEnded) return;
    this.#stream.write(frame);
    const heldBytes = this.#stream.writableLength;
    // A long conversation is on its way for a while. Until then the server has asked nothing, and may be about to refuse it.
    if (!this.#answer.hasBegun || heldBytes <= FULL_BYTES) return;
    this.#isFull = true;
    if (heldBytes > MAX_HELD_BYTES) this.cancel(askedTooMuch());
    else this.#stream.pause();
  }

  pause(): void {
    this.#isHeld = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#isHeld = false;
    this.#flow();
  }

  /** Resets the stream unless the server has ended it already: needless resets make servers close the whole session. */
  cancel(reason: GatewayError): void {
    if (!this.#answer.canCancel) return;
    this.#answer.fail(reason);
    this.#stream.close(constants.NGHTTP2_CANCEL);
    this.#answer.finish();
  }

  /** Reads on, unless the consumer or the server is behind. */
  #flow(): void {
    if (this.#isHeld || this.#isFull || !this.#stream.isPaused()) return;
    this.#answer.lastInMs = this.#now(); // silence that we asked for does not count
    this.#stream.resume();
  }

  #letGo(): void {
    // Our half stays open until the server has ended: only now is there nothing left to say.
    if (!this.#stream.destroyed && !this.#stream.writableEnded) this.#stream.end();
    this.#stream.resume(); // an unread rest would keep the stream open
  }
}
