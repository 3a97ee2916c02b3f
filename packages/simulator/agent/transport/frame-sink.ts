// transport/: how the messages of a run become bytes on a connection, over HTTP/2 and over HTTP/1.1.
import { constants } from "node:http2";
import type { Writable } from "node:stream";
import type { ConnectError } from "@connectrpc/connect";
import { encodeEnvelope, encodeGzipEnvelope } from "../../server/envelope.js";
import type { SimResponse } from "../../server/node-http.js";
import type { Dialect } from "./dialect.js";

interface FrameSinkDeps {
  response: SimResponse;
  dialect: Dialect;
  isGzip: boolean;
  /** Aborted when the run is over, so that nothing waits for a reader that has left. */
  signal: AbortSignal;
  onSent(payloadBytes: number): void;
}

/** The server's half of a stream. It is never further ahead of the reader than one write beyond Node's own limit. */
export class FrameSink {
  readonly #deps: FrameSinkDeps;
  readonly #output: Writable;
  #isEnded = false;
  #drained: Promise<void> | undefined;
  #unsent = 0;
  #onSent = () => {};

  constructor(deps: FrameSinkDeps) {
    this.#deps = deps;
    const { response, dialect, isGzip } = deps;
    const headers = dialect.responseHeaders(isGzip);
    if ("stream" in response) {
      this.#output = response.stream;
      // The stream is held open for trailers without Node's own listener; otherwise a reset would send the end of the stream
      // first.
      const { stream } = response;
      stream.respond({ ":status": 200, ...headers }, { waitForTrailers: true });
      stream.removeAllListeners("wantTrailers").once("wantTrailers", () => stream.closed || stream.sendTrailers({}));
    } else {
      this.#output = response;
      response.writeHead(200, headers).flushHeaders();
    }
  }

  /** True once the run has ended by itself: a client that leaves later does not count as cancelled. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  async send(payload: Uint8Array): Promise<void> {
    await this.#room();
    this.#writeMessage(payload);
  }

  async sendBatch(frames: Buffer, payloadBytes: number): Promise<void> {
    await this.#room();
    this.#write(frames, payloadBytes);
  }

  /** Sends nothing under back-pressure. */
  sendIfRoom(payload: Uint8Array): void {
    if (!this.#deps.signal.aborted && !this.#output.writableNeedDrain) this.#writeMessage(payload);
  }

  end(error?: ConnectError): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#output.end(this.#deps.dialect.endFrame(error));
  }

  /** Ends the stream without an end frame. */
  endBare(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#output.end();
  }

  /** Asks the client to open no more streams on this connection. HTTP/1.1 has no frame for that. */
  goAway(): void {
    const { response } = this.#deps;
    if ("stream" in response) response.stream.session?.goaway(constants.NGHTTP2_NO_ERROR);
  }

  /** Resets the stream without an end frame, after everything that was sent. */
  async reset(): Promise<void> {
    if (!(await this.#lastBytes())) return;
    const { response } = this.#deps;
    if ("stream" in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else response.socket?.destroy();
  }

  /** Closes the connection after everything that was sent; over HTTP/2 with a GOAWAY that names no error. */
  async closeConnection(): Promise<void> {
    if (!(await this.#lastBytes())) return;
    const { response } = this.#deps;
    if ("stream" in response) response.stream.session?.destroy(undefined, constants.NGHTTP2_NO_ERROR);
    else response.socket?.destroy();
  }

  /** Waits until everything is sent. Returns false when the stream had ended before. */
  async #lastBytes(): Promise<boolean> {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    while (this.#unsent > 0 && !this.#output.destroyed) {
      await new Promise<void>((resolve) => {
        this.#onSent = resolve;
        this.#output.once("close", resolve);
      });
    }
    return true;
  }

  #writeMessage(payload: Uint8Array): void {
    const frame = this.#deps.isGzip ? encodeGzipEnvelope(0, payload) : encodeEnvelope(0, payload);
    this.#write(frame, payload.byteLength);
  }

  #write(frames: Buffer, payloadBytes: number): void {
    if (this.#isEnded) return;
    this.#deps.onSent(payloadBytes);
    this.#unsent += 1;
    this.#output.write(frames, () => {
      this.#unsent -= 1;
      if (this.#unsent === 0) this.#onSent();
    });
  }

  async #room(): Promise<void> {
    this.#deps.signal.throwIfAborted();
    if (!this.#output.writableNeedDrain) return;
    this.#drained ??= this.#awaitDrain().finally(() => {
      this.#drained = undefined;
    });
    await this.#drained;
  }

  #awaitDrain(): Promise<void> {
    const { signal } = this.#deps;
    return new Promise<void>((resolve, reject) => {
      const onDrain = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        this.#output.off("drain", onDrain);
        reject(signal.reason);
      };
      this.#output.once("drain", onDrain);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
