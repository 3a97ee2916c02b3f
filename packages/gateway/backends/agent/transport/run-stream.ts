import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import { ENVELOPE_HEADER_BYTES } from "../../cursor/envelope.js";
import type { CallRecord } from "../../recorder.js";
import { askedTooMuch, FULL_BYTES, MAX_HELD_BYTES, RunChannel, type RunSink } from "./run-channel.js";

export class RunStream extends RunChannel {
  isFull = false;
  protected readonly incoming: ClientHttp2Stream;

  constructor(stream: ClientHttp2Stream, sink: RunSink, now: () => number, record?: CallRecord) {
    super(sink, now, record);
    this.incoming = stream;
    stream.once("response", (headers: IncomingHttpHeaders) => {
      const status = headers[":status"] as unknown as number;
      record?.answered(status, headers);
      this.read(stream, { status, header: (name) => String(headers[name] ?? "") });
    });
    stream.on("drain", () => {
      this.isFull = false;
      this.flow();
    });
    this.endWith(stream);
  }

  get isPaused(): boolean {
    return this.isHeld;
  }

  write(frame: Buffer): void {
    const stream = this.incoming;
    if (this.isOver || stream.destroyed || stream.writableEnded) return;
    this.record?.sent(frame.subarray(ENVELOPE_HEADER_BYTES));
    this.sink.meter.sentBytes += frame.length;
    stream.write(frame);
    const heldBytes = stream.writableLength;
    // A long conversation takes a while to send. Until then the server has asked nothing, and it may be about to refuse the run.
    if (!this.hasBegun || heldBytes <= FULL_BYTES) return;
    this.isFull = true;
    if (heldBytes > MAX_HELD_BYTES) this.cancel(askedTooMuch());
    else stream.pause();
  }

  protected override get resetCode(): number | undefined {
    return this.incoming.rstCode;
  }

  protected reset(): void {
    this.incoming.close(constants.NGHTTP2_CANCEL);
  }

  protected letGo(): void {
    // Our half stays open until the server has ended its own (docs/protocol/wire.md, messages), so this is the time to end it.
    if (!this.incoming.destroyed && !this.incoming.writableEnded) this.incoming.end();
    this.incoming.resume(); // unread bytes would keep the stream open
  }
}
