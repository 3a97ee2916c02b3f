import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import { GatewayError } from "../../turn/error.js";
import { EnvelopeReader, type FrameSink } from "./envelope.js";
import { noFailure, parseConnectError, parseEndFrame, type UpstreamFailure, withHeaders } from "./failure.js";
import { blockedNetwork, isWebPage } from "./web-page.js";

const MAX_ERROR_BODY_BYTES = 64 * 1024;

export interface RunStreamSink {
  message(bytes: Buffer, start: number, end: number): void;
  /** All messages of one chunk have been delivered. */
  flush(): void;
  /** What a failure that Cursor tells means here. */
  judge(failure: UpstreamFailure): GatewayError;
  /** Called exactly once: the stream came to its end, well or not. */
  ended(error: GatewayError | undefined): void;
}

/** One attempt at one run: frames in, frames out, over one HTTP/2 stream. */
export class RunStream {
  /** When anything last came in; the watchdog reads it. */
  lastInMs: number;
  /** Bytes read since the consumer last took a batch. */
  heldBytes = 0;
  readonly #stream: ClientHttp2Stream;
  readonly #sink: RunStreamSink;
  readonly #reader: EnvelopeReader;
  readonly #now: () => number;
  #headers: IncomingHttpHeaders = {};
  #failure: GatewayError | undefined;
  #isOver = false;
  #sawEnd = false;

  constructor(stream: ClientHttp2Stream, sink: RunStreamSink, now: () => number) {
    this.#stream = stream;
    this.#sink = sink;
    this.#now = now;
    this.lastInMs = now();
    const frames: FrameSink = {
      message: (bytes, start, end) => this.#sink.message(bytes, start, end),
      end: (json) => {
        this.#sawEnd = true;
        const failure = parseEndFrame(json);
        if (failure !== undefined) this.#failure = sink.judge(withHeaders(failure, this.#header));
      },
    };
    this.#reader = new EnvelopeReader(frames);
    stream.once("response", (headers) => this.#onResponse(headers));
    stream.on("error", (cause) => {
      this.#failure ??= lostStream(cause);
    });
    stream.once("close", () => this.#finish());
  }

  write(frame: Buffer): void {
    if (this.#isOver || this.#stream.destroyed || this.#stream.writableEnded) return;
    this.#stream.write(frame);
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.lastInMs = this.#now(); // silence that we asked for does not count
    this.#stream.resume();
  }

  get isPaused(): boolean {
    return this.#stream.isPaused();
  }

  /** Resets the stream unless the server has ended it already: needless resets make servers close the whole session. */
  cancel(reason: GatewayError): void {
    if (this.#isOver || this.#sawEnd) return;
    this.#failure ??= reason;
    this.#stream.close(constants.NGHTTP2_CANCEL);
    this.#finish();
  }

  readonly #header = (name: string): string => String(this.#headers[name] ?? "");

  #onResponse(headers: IncomingHttpHeaders): void {
    this.#headers = headers;
    const status = headers[":status"] as unknown as number;
    if (status === 200) this.#readFrames();
    else this.#readRefusal(status);
  }

  #readFrames(): void {
    this.#stream.on("data", (chunk: Buffer) => {
      if (this.#isOver) return;
      this.lastInMs = this.#now();
      this.heldBytes += chunk.length;
      try {
        this.#reader.push(chunk);
        this.#sink.flush();
      } catch (thrown) {
        this.cancel(GatewayError.from(thrown));
      }
      if (this.#sawEnd) this.#finish();
    });
    // Without an end frame. The stream would not close by itself: our half is still open.
    this.#stream.once("end", () => this.#finish());
  }

  #readRefusal(status: number): void {
    const parts: Buffer[] = [];
    let bytes = 0;
    this.#stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_ERROR_BODY_BYTES) parts.push(chunk);
    });
    this.#stream.once("end", () => {
      this.#failure = this.#refusal(status, Buffer.concat(parts).toString("utf8"));
      this.#finish();
    });
  }

  /** An HTTP status instead of a stream: a Connect error in JSON, or whatever stands between us and Cursor. */
  #refusal(status: number, body: string): GatewayError {
    if (isWebPage(this.#header("content-type"), body)) return blockedNetwork(status);
    const parsed = parseJson(body);
    if (typeof parsed === "object" && parsed !== null && "code" in parsed) {
      return this.#sink.judge(withHeaders(parseConnectError(parsed), this.#header));
    }
    const connectCode = status === 401 ? "unauthenticated" : status === 429 ? "resource_exhausted" : "";
    if (connectCode !== "") return this.#sink.judge(withHeaders({ ...noFailure, connectCode }, this.#header));
    return new GatewayError("upstream_error", `Cursor's agent host answered with HTTP status ${status}.`, {
      isRetryable: status >= 500,
    });
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Our half stays open until the server has ended: only now is there nothing left to say.
    if (!this.#stream.destroyed && !this.#stream.writableEnded) this.#stream.end();
    this.#stream.resume(); // an unread rest would keep the stream open
    this.#sink.ended(this.#failure ?? (this.#sawEnd ? undefined : lostStream()));
  }
}

function lostStream(cause?: unknown): GatewayError {
  return new GatewayError(
    "upstream_error",
    "The connection to Cursor broke off before the answer was complete. Try again.",
    {
      cause,
      isRetryable: true,
    },
  );
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
