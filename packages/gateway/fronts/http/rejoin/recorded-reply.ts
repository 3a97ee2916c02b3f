import type { Clock } from "../../../system/clock.js";
import type { RequestRecord } from "../../../turn/events/channels.js";
import type { Message } from "../../../turn/turn.js";
import { serverSentEvents } from "../../frame.js";
import type { Answer } from "../answer.js";
import type { Beating, ReplyStream } from "../body-stream.js";
import type { MemoryHold } from "../request-memory.js";
import type { ReplyReader } from "./reply-reader.js";
import type { ReturningClient } from "./returning-client.js";

/** A longer reply can no longer be joined; a model writes a megabyte in an hour. */
export const MAX_KEPT_CHARS = 2 * 1024 * 1024;

export interface RecordedReplyDeps {
  readonly client: ReturningClient;
  readonly messages: readonly Message[];
  readonly record: RequestRecord;
  readonly hold: MemoryHold;
  readonly clock: Clock;
  /** Called once, when the reply can no longer be joined. */
  readonly onClosed: (reply: RecordedReply) => void;
  /** True by default. Otherwise the run neither waits for readers nor ends when all have left. */
  readonly needsReader?: boolean;
  readonly maxKeptChars?: number;
}

/**
 * A reply that records its frames and may outlive its request. A reader starts at any frame and then gets the rest as it comes.
 * Only the newest reader exerts back-pressure: the ones before may be connections that have died unnoticed.
 */
export class RecordedReply implements ReplyStream, Beating {
  readonly before = serverSentEvents.before;
  readonly after = serverSentEvents.after;
  lastMs: number;
  beatFrame = serverSentEvents.keepAlive;
  isOpen = false;
  hasEnded = false;
  /** Whether its last reader's connection broke before it had everything. */
  isLost = false;
  /** The highest retry count that its client has sent. */
  retries: number;
  bytes = 0;
  keptChars = 0;
  readonly record: RequestRecord;
  readonly client: ReturningClient;
  readonly messages: readonly Message[];
  readonly #deps: RecordedReplyDeps;
  readonly #needsReader: boolean;
  readonly #aborter = new AbortController();
  readonly #readers: ReplyReader[] = [];
  #frames: string[] = [];
  #isClosed = false;
  #isReleased = false;
  #headers: Readonly<Record<string, string>> = {};
  #answer: Answer | undefined;
  #stopGrace = () => {};
  #wake = () => {};

  constructor(deps: RecordedReplyDeps) {
    this.client = deps.client;
    this.messages = deps.messages;
    this.record = deps.record;
    this.retries = deps.client.retries;
    this.lastMs = deps.clock.now();
    this.#deps = deps;
    this.#needsReader = deps.needsReader ?? true;
  }

  /** Aborted to end the run: its reply was cancelled, or has neither readers nor a way to join it. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  get isDeserted(): boolean {
    return this.#readers.length === 0;
  }

  /** Whether it keeps running only because its client may reconnect. */
  get waitsForClient(): boolean {
    return this.#needsReader && this.isDeserted && !this.hasEnded;
  }

  /** Whether all of it can still be read. */
  get isReadable(): boolean {
    return !this.#isClosed;
  }

  /** Sends a reader everything so far, and then the rest. Resolves when it has everything, or has left. */
  async serve(reader: ReplyReader, retries = 0): Promise<void> {
    this.#stopGrace();
    this.isLost = false;
    this.retries = Math.max(this.retries, retries);
    this.#readers.push(reader);
    if (this.#answer === undefined) this.#feed(reader);
    else reader.answer(this.#answer);
    await reader.over;
    this.#leave(reader);
  }

  open(headers: Readonly<Record<string, string>>): void {
    this.isOpen = true;
    this.#headers = headers;
  }

  /** Records a frame. All readers get it at the next flush. */
  write(frame: string): void {
    this.lastMs = this.#deps.clock.now();
    this.#takeRoom(frame.length);
    this.bytes += Buffer.byteLength(frame);
    this.#frames.push(frame);
  }

  /** Comments come after the last frame, so they shift no index. */
  comment(text: string): void {
    this.write(serverSentEvents.comment(text));
  }

  flush(): boolean {
    this.#feedAll();
    return this.#hasRoom;
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#feedAll();
  }

  /** Ends the reply with one whole answer, before anything of it was sent. */
  answer(answer: Answer): void {
    this.hasEnded = true;
    this.#answer = answer;
    this.#takeRoom(answer.body.length);
    for (const reader of this.#readers) reader.answer(answer);
  }

  drained(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener("abort", done);
        this.#wake = () => {};
        resolve();
      };
      if (signal.aborted || this.#hasRoom) return resolve();
      this.#wake = done;
      signal.addEventListener("abort", done);
    });
  }

  /** Keep-alives are recorded too, so that readers who join later get the same bytes. */
  beat(): void {
    if (this.hasEnded || !this.#hasRoom) return;
    if (!this.isOpen) this.open({});
    this.write(this.beatFrame);
    this.flush();
  }

  /** Stops readers from joining, and ends a run that needs a reader and has none. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopGrace();
    this.#deps.hold.release();
    this.#deps.onClosed(this);
    if (this.#needsReader && this.isDeserted) this.abort();
  }

  /** The reply is complete, sent or recorded: from now on the run ends by itself. */
  release(): void {
    this.#isReleased = true;
  }

  /** Called when a connection was reset after its last byte, which may not have been delivered. */
  lose(): void {
    this.isLost = this.isDeserted;
  }

  /** Ends the run, unless the reply is complete. */
  protected abort(): void {
    if (!this.#isReleased) this.#aborter.abort();
  }

  get #hasRoom(): boolean {
    return !this.#needsReader || this.#readers.at(-1)?.isBlocked !== true;
  }

  #takeRoom(chars: number): void {
    if (this.#isClosed) return;
    const { hold, maxKeptChars = MAX_KEPT_CHARS } = this.#deps;
    this.keptChars += chars;
    try {
      if (this.keptChars > maxKeptChars) this.close();
      else hold.take(chars);
    } catch {
      this.close(); // no memory left for records; current readers continue
    }
  }

  #feedAll(): void {
    for (const reader of this.#readers) this.#feed(reader);
    if (this.#isClosed && !this.hasEnded) this.#forgetSent();
  }

  /** Without a record, only the newest reader can be slow. */
  #forgetSent(): void {
    const leader = this.#hasRoom ? undefined : this.#readers.at(-1);
    this.#frames = this.#frames.slice(leader?.at ?? this.#frames.length);
    for (const reader of this.#readers) {
      if (reader !== leader && reader.isBlocked) reader.drop();
      else reader.at = 0;
    }
  }

  #feed(reader: ReplyReader): void {
    if (reader.isBlocked || !this.isOpen) return;
    const isNew = reader.at < this.#frames.length;
    if (!isNew && !this.hasEnded) return;
    if (!reader.isOpen) reader.open(this.#headers);
    const missing = this.#frames.length - reader.at;
    const text = missing === 1 ? (this.#frames.at(-1) ?? "") : this.#frames.slice(reader.at).join("");
    reader.at = this.#frames.length;
    const onRoom = () => {
      this.#feed(reader);
      if (this.#hasRoom) this.#wake();
    };
    if (this.hasEnded) {
      reader.write(text);
      reader.end();
    } else reader.send(text, onRoom);
  }

  #leave(reader: ReplyReader): void {
    this.#readers.splice(this.#readers.indexOf(reader), 1);
    if (this.#hasRoom) this.#wake();
    if (!reader.hasAll) this.lose();
    if (!this.#needsReader || !this.isDeserted) return;
    const { graceMs } = this.client;
    if (this.#isClosed) this.abort();
    else if (graceMs === 0) this.close();
    else this.#stopGrace = this.#deps.clock.after(graceMs, () => this.close());
  }
}
