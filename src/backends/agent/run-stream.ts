import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import type { GatewayError } from "../../turn/error.js";
import { RunAnswer } from "./run-answer.js";
import type { RunChannel, RunSink } from "./run-channel.js";

/** A run over HTTP/2: both directions on one stream. */
export class RunStream implements RunChannel {
  readonly #stream: ClientHttp2Stream;
  readonly #answer: RunAnswer;
  readonly #now: () => number;

  constructor(stream: ClientHttp2Stream, sink: RunSink, now: () => number) {
    this.#stream = stream;
    this.#now = now;
    this.#answer = new RunAnswer({ sink, now, onOver: () => this.#letGo() });
    stream.once("response", (headers: IncomingHttpHeaders) => {
      const status = headers[":status"] as unknown as number;
      const header = (name: string) => String(headers[name] ?? "");
      this.#answer.read(stream, { status, header }, (reason) => this.cancel(reason));
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
    return this.#stream.isPaused();
  }

  write(frame: Buffer): void {
    if (this.#answer.isOver || this.#stream.destroyed || this.#stream.writableEnded) return;
    this.#stream.write(frame);
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#answer.lastInMs = this.#now(); // silence that we asked for does not count
    this.#stream.resume();
  }

  /** Resets the stream unless the server has ended it already: needless resets make servers close the whole session. */
  cancel(reason: GatewayError): void {
    if (!this.#answer.canCancel) return;
    this.#answer.fail(reason);
    this.#stream.close(constants.NGHTTP2_CANCEL);
    this.#answer.finish();
  }

  #letGo(): void {
    // Our half stays open until the server has ended: only now is there nothing left to say.
    if (!this.#stream.destroyed && !this.#stream.writableEnded) this.#stream.end();
    this.#stream.resume(); // an unread rest would keep the stream open
  }
}
