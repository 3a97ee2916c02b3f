import type { Readable } from "node:stream";
import { brokenOff, type ResponseHead } from "../../../network/index.js";
import { GatewayError } from "../../../turn/error.js";
import type { UpstreamMeter } from "../../backend.js";
import { EnvelopeReader, type FrameSink } from "../../cursor/envelope.js";
import { parseEndFrame, type UpstreamFailure, withHeaders } from "../../cursor/failure.js";
import { closedAtOnce, isProtobuf, readRefusal } from "../../cursor/refusal.js";
import type { CallEnding, CallRecord } from "../../recorder.js";

/** Back-pressure: with more unsent bytes than this we stop reading, because each question makes us answer. */
export const FULL_BYTES = 8 * 1024 * 1024;
/** No conversation comes near this size. The run fails when a server asks for more than this at once. */
export const MAX_HELD_BYTES = 128 * 1024 * 1024;

export interface RunSink {
  message(bytes: Buffer, start: number, end: number): void;
  /** Called when all messages of one chunk have been delivered. */
  flush(): void;
  readonly meter: Pick<UpstreamMeter, "sentBytes" | "receivedBytes">;
  judge(failure: UpstreamFailure): GatewayError;
  /** Called exactly once, when the run ends, with an error or without. */
  ended(error: GatewayError | undefined): void;
}

/** One attempt at one run, up to the end frame or a refusal. Subclasses carry the bytes. */
export abstract class RunChannel {
  /** The time of the last incoming bytes, for the watchdog. */
  lastInMs: number;
  /** Bytes read since the consumer last took a batch. The consumer resets it. */
  heldBytes = 0;
  protected hasBegun = false;
  protected isHeld = false;
  protected isOver = false;
  protected readonly record: CallRecord | undefined;
  protected readonly sink: RunSink;
  readonly #now: () => number;
  #header: ResponseHead["header"] = () => "";
  #failure: GatewayError | undefined;
  #sawEnd = false;
  #endedBare = false;

  constructor(sink: RunSink, now: () => number, record?: CallRecord) {
    this.sink = sink;
    this.#now = now;
    this.record = record;
    this.lastInMs = now();
  }

  abstract readonly isPaused: boolean;

  /** Whether the server is so far behind with our answers that we read no further questions. */
  abstract readonly isFull: boolean;

  abstract write(frame: Buffer): void;

  protected abstract readonly incoming: Readable | undefined;

  protected abstract reset(): void;

  protected abstract letGo(): void;

  pause(): void {
    this.isHeld = true;
    this.incoming?.pause();
  }

  resume(): void {
    this.isHeld = false;
    this.flow();
  }

  /** Ends the run, unless the server has: needless resets make servers close the whole session. */
  cancel(reason: GatewayError): void {
    if (this.isOver || this.#sawEnd) return;
    this.record?.ended("canceled");
    this.fail(reason);
    this.reset();
    this.finish();
  }

  /** Resumes reading, unless the consumer or the server is behind. */
  protected flow(): void {
    if (this.isHeld || this.isFull || !this.incoming?.isPaused()) return;
    this.lastInMs = this.#now(); // silence that we caused does not count
    this.incoming.resume();
  }

  protected endWith(stream: Readable): void {
    stream.on("error", (cause) => {
      this.#recordEnd("reset");
      this.fail(brokenOff(cause));
    });
    stream.once("close", () => this.finish());
  }

  protected get resetCode(): number | undefined {
    return undefined;
  }

  protected read(body: Readable, { status, header }: ResponseHead): void {
    this.#header = header;
    if (isProtobuf(status, header("content-type"))) this.#readFrames(body);
    else {
      if (this.record !== undefined) body.on("data", (chunk: Buffer) => this.record?.received(chunk));
      readRefusal(
        body,
        { status, header },
        (failure) => this.sink.judge(failure),
        (refusal) => {
          this.#failure = refusal;
          this.record?.ended("complete");
          this.finish();
        },
      );
    }
  }

  /** Fails the run. Only the first reason counts. */
  protected fail(reason: GatewayError): void {
    this.#failure ??= reason;
  }

  protected finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#recordEnd("cut-off");
    this.letGo();
    this.sink.ended(this.#failure ?? (this.#sawEnd ? undefined : this.#endedBare ? closedAtOnce() : brokenOff()));
  }

  #readFrames(body: Readable): void {
    const sink = this.sink;
    const frames: FrameSink = {
      message: (bytes, start, end) => sink.message(bytes, start, end),
      end: (json) => {
        this.#sawEnd = true;
        const failure = parseEndFrame(json);
        if (failure !== undefined) this.#failure = sink.judge(withHeaders(failure, this.#header));
      },
    };
    const reader = new EnvelopeReader(this.record === undefined ? frames : recorded(frames, this.record));
    body.on("data", (chunk: Buffer) => {
      if (this.isOver) return;
      this.lastInMs = this.#now();
      this.hasBegun = true;
      this.heldBytes += chunk.length;
      sink.meter.receivedBytes += chunk.length;
      try {
        reader.push(chunk);
        sink.flush();
      } catch (thrown) {
        this.cancel(GatewayError.from(thrown));
      }
      if (this.#sawEnd) this.finish();
    });
    body.once("end", () => {
      if (this.hasBegun) return this.finish(); // the body ended without an end frame
      // A reset may come right behind the end. The stream closes as soon as our half has ended, too.
      this.#endedBare = true;
      this.letGo();
    });
  }

  /** Of several endings, the record keeps the first. */
  #recordEnd(how: CallEnding): void {
    if (this.record === undefined) return;
    const code = this.resetCode;
    if (code === undefined || code === 0) this.record.ended(how);
    else this.record.ended("reset", { code });
  }
}

function recorded(frames: FrameSink, record: CallRecord): FrameSink {
  return {
    message(bytes, start, end) {
      record.received(bytes.subarray(start, end));
      frames.message(bytes, start, end);
    },
    end(json) {
      record.ended("end-frame", { json });
      frames.end(json);
    },
  };
}

export function askedTooMuch(): GatewayError {
  const text = "Cursor asked for more content at once than Curlew can send. Start a new conversation.";
  return new GatewayError("upstream_error", text);
}
