import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { type Clock, Watch } from "../../system/clock.js";
import { FrameText, type FrameWriter, serverSentEvents } from "../frame.js";

/** A stream that must not be silent for long. */
export interface Beating {
  /** The time of its last byte. */
  readonly lastMs: number;
  beat(): void;
}

/** Makes each stream that was silent for `silenceMs` send something. */
export class KeepAlive extends Watch<Beating> {
  constructor({ silenceMs, clock }: { silenceMs: number; clock: Clock }) {
    super(clock, Math.max(100, silenceMs / 15), (each) => {
      if (clock.now() - each.lastMs >= silenceMs) each.beat();
    });
  }
}

interface Written {
  text: string;
  encoding: "latin1" | "utf8";
}

const noFrame: Written = { text: "", encoding: "latin1" };

export interface ReplyStream extends FrameWriter {
  readonly isOpen: boolean;
  readonly hasEnded: boolean;
  /** The size of all frames, unflushed ones included; undefined if not counted. */
  readonly bytes?: number;
  beatFrame?: string;
  open(headers: Readonly<Record<string, string>>): void;
  /** False on back-pressure: wait for `drained` before the next frame. */
  flush(): boolean;
  /** Sends the last frames and ends the answer in one write. */
  end(): void;
  drained(signal: AbortSignal): Promise<void>;
}

/** A streamed reply on the raw response. Everything written is sent together at the next flush. */
export class BodyStream extends FrameText implements ReplyStream, Beating {
  lastMs: number;
  firstByteMs: number | undefined;
  beatFrame = serverSentEvents.keepAlive;
  readonly #outgoing: ServerResponse;
  readonly #clock: Clock;
  /** Without the chunked encoding around the frames. */
  #sentBytes = 0;
  #framesChunks = false;
  #hasEnded = false;

  constructor(outgoing: ServerResponse, clock: Clock) {
    super();
    this.#outgoing = outgoing;
    this.#clock = clock;
    this.lastMs = clock.now();
    outgoing.on("error", () => {}); // the client left, which `watchClient` notices
  }

  get isOpen(): boolean {
    return this.#outgoing.headersSent;
  }

  get bytes(): number {
    return this.#sentBytes + Buffer.byteLength(this.untaken);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  open(headers: Readonly<Record<string, string>>): void {
    this.#outgoing.writeHead(200, {
      "content-type": serverSentEvents.contentType,
      // Answers to the page already have the stricter `no-store`.
      ...(!this.#outgoing.hasHeader("cache-control") && { "cache-control": "no-cache" }),
      "x-accel-buffering": "no",
      ...headers,
    });
    // Node writes a chunk in four pieces, which is expensive when each chunk holds one word; we frame it in one string instead.
    // If Node did not choose chunks (HTTP/1.0) or does not give them up, it writes them as usual.
    if (this.#outgoing.chunkedEncoding) {
      this.#outgoing.chunkedEncoding = false;
      this.#framesChunks = !this.#outgoing.chunkedEncoding;
    }
  }

  flush(): boolean {
    const frames = this.take();
    if (frames === "" || this.#hasEnded) return true; // an empty chunk would end the answer
    const { text, encoding } = this.#frame(frames);
    return this.#outgoing.write(text, encoding);
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const frames = this.take();
    const { text, encoding } = frames === "" ? noFrame : this.#frame(frames);
    this.#outgoing.end(this.#framesChunks ? `${text}0\r\n\r\n` : text, encoding);
  }

  drained(signal: AbortSignal): Promise<void> {
    return drained(this.#outgoing, signal);
  }

  /** Sends nothing under back-pressure: keep-alives would pile up for a client that does not read. */
  beat(): void {
    if (this.#outgoing.writableNeedDrain) return;
    if (!this.isOpen) this.open({});
    this.write(this.beatFrame);
    this.flush();
  }

  #frame(frames: string): Written {
    const bytes = Buffer.byteLength(frames);
    this.#sentBytes += bytes;
    this.lastMs = this.#clock.now();
    this.firstByteMs ??= this.lastMs;
    const isAscii = bytes === frames.length;
    return {
      text: this.#framesChunks ? `${bytes.toString(16)}\r\n${frames}\r\n` : frames,
      encoding: isAscii ? "latin1" : "utf8",
    };
  }
}

/** Resolves when there is room again, or when the client has left. */
export function drained(writable: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      writable.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    if (signal.aborted) return resolve();
    writable.on("drain", done);
    signal.addEventListener("abort", done);
  });
}
