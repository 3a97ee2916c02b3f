import { constants } from "node:http2";
import type { Writable } from "node:stream";
import type { SimResponse } from "../server/node-http.js";

/** The server's half of a call, on either version of HTTP. */
export class Output {
  readonly #response: SimResponse;
  readonly #signal: AbortSignal;
  #writable: Writable;
  #unsent = 0;
  #onSent = () => {};

  constructor(response: SimResponse, signal: AbortSignal) {
    this.#response = response;
    this.#writable = response;
    this.#signal = signal;
  }

  begin(status: number, headers: Readonly<Record<string, string>>): void {
    const response = this.#response;
    if ("stream" in response) {
      const { stream } = response;
      // Held open for trailers, because otherwise a reset would send the end of the stream first.
      stream.respond({ ...headers, ":status": status }, { waitForTrailers: true });
      stream.removeAllListeners("wantTrailers").once("wantTrailers", () => stream.closed || stream.sendTrailers({}));
      this.#writable = stream;
    } else response.writeHead(status, headers).flushHeaders();
  }

  async write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0 || this.#signal.aborted) return;
    this.#unsent += 1;
    const hasRoom = this.#writable.write(bytes, () => {
      this.#unsent -= 1;
      if (this.#unsent === 0) this.#onSent();
    });
    if (!hasRoom) await this.#until((resolve) => this.#writable.once("drain", resolve));
  }

  end(bytes?: Buffer): void {
    this.#writable.end(bytes);
  }

  /** Resets the stream after everything that was sent. */
  async reset(code = constants.NGHTTP2_INTERNAL_ERROR): Promise<void> {
    while (this.#unsent > 0 && !this.#signal.aborted)
      await this.#until((resolve) => {
        this.#onSent = resolve;
      });
    if ("stream" in this.#response) this.#response.stream.close(code);
    else this.#response.socket?.destroy();
  }

  /** Waits for something, or until the client has left. */
  #until(wait: (resolve: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      wait(resolve);
      this.#signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
