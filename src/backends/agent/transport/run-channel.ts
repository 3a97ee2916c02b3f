import type { Readable } from "node:stream";
import { type AnswerHead, brokenOff } from "../../../network/index.js";
import { GatewayError } from "../../../turn/error.js";
import { EnvelopeReader } from "../../cursor/envelope.js";
import { parseEndFrame, type UpstreamFailure, withHeaders } from "../../cursor/failure.js";
import { isProtobuf, readRefusal } from "../../cursor/refusal.js";

/** Of what we say, not yet taken by the server. Above this, nothing more is read: what the server says is what makes us answer. */
export const FULL_BYTES = 8 * 1024 * 1024;
/** No conversation comes near it; a server that asks for more than this at once is not to be satisfied. */
export const MAX_HELD_BYTES = 128 * 1024 * 1024;

export interface RunSink {
  message(bytes: Buffer, start: number, end: number): void;
  /** All messages of one chunk have been delivered. */
  flush(): void;
  /** What a failure that Cursor tells means here. */
  judge(failure: UpstreamFailure): GatewayError;
  /** Called exactly once: the run came to its end, well or not. */
  ended(error: GatewayError | undefined): void;
}

/**
 * One attempt at one run, whichever transport carries it: frames out, and frames in up to the end frame, or a refusal. How they
 * travel is the transport's own affair.
 */
export abstract class RunChannel {
  /** When anything last came in; the watchdog reads it. */
  lastInMs: number;
  /** Bytes read since the consumer last took a batch; the consumer sets it back. */
  heldBytes = 0;
  /** Whether the server has said anything yet. */
  protected hasBegun = false;
  /** Whether the consumer is behind. */
  protected isHeld = false;
  readonly #sink: RunSink;
  readonly #now: () => number;
  #header: AnswerHead["header"] = () => "";
  #failure: GatewayError | undefined;
  #isOver = false;
  #sawEnd = false;

  constructor(sink: RunSink, now: () => number) {
    this.#sink = sink;
    this.#now = now;
    this.lastInMs = now();
  }

  abstract readonly isPaused: boolean;

  /** Whether the server reads so little of what it asked for that nothing more is read of its questions. */
  abstract readonly isFull: boolean;

  /** One message in its envelope. */
  abstract write(frame: Buffer): void;

  /** What the server says, once it says anything. */
  protected abstract readonly incoming: Readable | undefined;

  /** Breaks the transport off. */
  protected abstract reset(): void;

  /** There is nothing left to say or to hear. */
  protected abstract letGo(): void;

  pause(): void {
    this.isHeld = true;
    this.incoming?.pause();
  }

  resume(): void {
    this.isHeld = false;
    this.flow();
  }

  /** Ends the run for this reason, unless the server has ended it already: needless resets make servers close the whole session. */
  cancel(reason: GatewayError): void {
    if (this.#isOver || this.#sawEnd) return;
    this.fail(reason);
    this.reset();
    this.finish();
  }

  protected get isOver(): boolean {
    return this.#isOver;
  }

  /** Reads on, unless the consumer or the server is behind. */
  protected flow(): void {
    if (this.isHeld || this.isFull || !this.incoming?.isPaused()) return;
    this.lastInMs = this.#now(); // silence that we asked for does not count
    this.incoming.resume();
  }

  /** The run ends with its stream, whatever became of that. */
  protected endWith(stream: Readable): void {
    stream.on("error", (cause) => this.fail(brokenOff(cause)));
    stream.once("close", () => this.finish());
  }

  protected read(body: Readable, { status, header }: AnswerHead): void {
    this.#header = header;
    if (isProtobuf(status, header("content-type"))) this.#readFrames(body);
    else
      readRefusal(
        body,
        { status, header },
        (failure) => this.#sink.judge(failure),
        (refusal) => {
          this.#failure = refusal;
          this.finish();
        },
      );
  }

  /** The first reason counts. */
  protected fail(reason: GatewayError): void {
    this.#failure ??= reason;
  }

  protected finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.letGo();
    this.#sink.ended(this.#failure ?? (this.#sawEnd ? undefined : brokenOff()));
  }

  #readFrames(body: Readable): void {
    const sink = this.#sink;
    const reader = new EnvelopeReader({
      message: (bytes, start, end) => sink.message(bytes, start, end),
      end: (json) => {
        this.#sawEnd = true;
        const failure = parseEndFrame(json);
        if (failure !== undefined) this.#failure = sink.judge(withHeaders(failure, this.#header));
      },
    });
    body.on("data", (chunk: Buffer) => {
      if (this.#isOver) return;
      this.lastInMs = this.#now();
      this.hasBegun = true;
      this.heldBytes += chunk.length;
      try {
        reader.push(chunk);
        sink.flush();
      } catch (thrown) {
        this.cancel(GatewayError.from(thrown));
      }
      if (this.#sawEnd) this.finish();
    });
    body.once("end", () => this.finish()); // without an end frame
  }
}

export function askedTooMuch(): GatewayError {
  const text = "Cursor asks for more content at once than can be sent to it. Start a new conversation.";
  return new GatewayError("upstream_error", text);
}
