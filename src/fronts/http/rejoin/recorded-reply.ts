import type { Clock } from "../../../clock.js";
import type { RequestRecord } from "../../../events/channels.js";
import type { Message } from "../../../turn/turn.js";
import { serverSentEvents } from "../../frame.js";
import type { Answer } from "../answer.js";
import type { Beating, ReplyStream } from "../body-stream.js";
import type { MemoryHold } from "../request-memory.js";
import type { ReplyReader } from "./reply-reader.js";
import type { ReturningClient } from "./returning-client.js";

/** A longer reply cannot be joined any more; a model writes a megabyte in an hour. */
export const MAX_KEPT_CHARS = 2 * 1024 * 1024;

export interface RecordedReplyDeps {
  readonly client: ReturningClient;
  readonly messages: readonly Message[];
  readonly record: RequestRecord;
  readonly hold: MemoryHold;
  readonly clock: Clock;
  /** Called once, when nobody can join any more. */
  readonly onClosed: (reply: RecordedReply) => void;
  /** Otherwise the run waits for no reader, and goes on when all have left. */
  readonly needsReader?: boolean;
  readonly maxKeptChars?: number;
}

/**
 * A reply that may outlive the request that asked for it, and that keeps its frames. A reader begins at any of them, and then gets
 * the rest as it comes. The reader that came last sets the pace: the ones before may be connections that have died unnoticed.
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
  /** How often its client had sent the request, by the newest attempt. */
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

  /** Aborted when the run is to end because nobody can read its reply. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  get isDeserted(): boolean {
    return this.#readers.length === 0;
  }

  /** Whether it goes on only because its client may come back for it. */
  get waitsForClient(): boolean {
    return this.#needsReader && this.isDeserted && !this.hasEnded;
  }

  /** Whether all of it can still be read. */
  get isReadable(): boolean {
    return !this.#isClosed;
  }

  /** Sends a reader everything so far, and then the rest. Resolves when it has all of it, or has left. */
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

  /** Keeps a frame for all readers, which get it at the next flush. */
  write(frame: string): void {
    this.lastMs = this.#deps.clock.now();
    this.#takeRoom(frame.length);
    this.bytes += Buffer.byteLength(frame);
    this.#frames.push(frame);
  }

  /** A note comes after the last frame, and so it moves none. */
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

  /** What is sent in a silence is a part of the reply for those who join later: they get the same bytes. */
  beat(): void {
    if (this.hasEnded || !this.#hasRoom) return;
    if (!this.isOpen) this.open({});
    this.write(this.beatFrame);
    this.flush();
  }

  /** Nobody can join from now on, and a run that nobody reads ends. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopGrace();
    this.#deps.hold.release();
    this.#deps.onClosed(this);
    if (this.#needsReader && this.isDeserted) this.abort();
  }

  /** The client has everything, or will have it from what is kept: from now on the run ends by itself. */
  release(): void {
    this.#isReleased = true;
  }

  /** Notes that a connection was reset after its last byte, which it then has not delivered. */
  lose(): void {
    this.isLost = this.isDeserted;
  }

  /** Ends the run, unless it ends by itself. */
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
      this.close(); // there is no memory left to keep replies in; whoever reads this one goes on reading
    }
  }

  #feedAll(): void {
    for (const reader of this.#readers) this.#feed(reader);
    if (this.#isClosed && !this.hasEnded) this.#forgetSent();
  }

  /** Without a record, only the reader that sets the pace can be slow. */
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
