import type { Clock } from "../../../clock.js";
import type { RequestRecord } from "../../../events/index.js";
import type { Message } from "../../../turn/turn.js";
import { FrameText, serverSentEvents } from "../../frame.js";
import type { Answer } from "../answer.js";
import type { Beating, ReplyStream } from "../body-stream.js";
import type { MemoryHold } from "../request-memory.js";
import type { ReplyReader } from "./reply-reader.js";
import type { ReturningClient } from "./returning-client.js";

/** A longer reply cannot be joined any more; a model writes a megabyte in an hour. */
export const MAX_KEPT_CHARS = 2 * 1024 * 1024;

export interface RunningReplyDeps {
  readonly client: ReturningClient;
  readonly messages: readonly Message[];
  readonly record: RequestRecord;
  readonly hold: MemoryHold;
  readonly clock: Clock;
  /** Called once, when nobody can join any more. */
  readonly onClosed: (reply: RunningReply) => void;
  readonly maxKeptChars?: number;
}

/**
 * A reply that is made whether or not somebody reads it, and that keeps what it has sent. Whoever joins gets all of that, and then
 * the rest as it comes. The reader that came last sets the pace: the ones before may be connections that have died unnoticed.
 */
export class RunningReply extends FrameText implements ReplyStream, Beating {
  lastMs: number;
  beatFrame = serverSentEvents.keepAlive;
  isOpen = false;
  hasEnded = false;
  /** Whether its last reader's connection broke before it had everything. */
  isLost = false;
  /** How often its client had sent the request, by the newest attempt. */
  retries: number;
  readonly record: RequestRecord;
  readonly client: ReturningClient;
  readonly messages: readonly Message[];
  readonly #hold: MemoryHold;
  readonly #clock: Clock;
  readonly #onClosed: (reply: RunningReply) => void;
  readonly #maxKeptChars: number;
  readonly #aborter = new AbortController();
  readonly #readers: ReplyReader[] = [];
  #pieces: string[] = [];
  #keptChars = 0;
  #madeBytes = 0;
  #isClosed = false;
  #isReleased = false;
  #headers: Readonly<Record<string, string>> = {};
  #answer: Answer | undefined;
  #stopGrace = () => {};
  #wake = () => {};

  constructor(deps: RunningReplyDeps) {
    const { client, messages, record, hold, clock, onClosed, maxKeptChars = MAX_KEPT_CHARS } = deps;
    super();
    this.client = client;
    this.messages = messages;
    this.record = record;
    this.retries = client.retries;
    this.#hold = hold;
    this.#clock = clock;
    this.#onClosed = onClosed;
    this.#maxKeptChars = maxKeptChars;
    this.lastMs = clock.now();
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
    return this.isDeserted && !this.hasEnded;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get bytes(): number {
    return this.#madeBytes + Buffer.byteLength(this.untaken);
  }

  get keptChars(): number {
    return this.#keptChars;
  }

  /** Sends a reader everything so far, and then the rest. Resolves when it has all of it, or has left. */
  async serve(reader: ReplyReader, retries: number): Promise<void> {
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

  flush(): boolean {
    this.keep(this.take());
    this.#feedAll();
    return this.hasRoom;
  }

  end(): void {
    if (this.hasEnded) return;
    this.keep(this.take());
    this.hasEnded = true;
    this.#feedAll();
  }

  /** Ends the reply with one whole answer, before anything of it was sent. */
  answer(answer: Answer): void {
    this.hasEnded = true;
    this.#answer = answer;
    this.#takeRoom(answer.text.length);
    for (const reader of this.#readers) reader.answer(answer);
  }

  drained(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener("abort", done);
        this.#wake = () => {};
        resolve();
      };
      if (signal.aborted || this.hasRoom) return resolve();
      this.#wake = done;
      signal.addEventListener("abort", done);
    });
  }

  /** What is sent in a silence is a part of the reply for those who join later: they get the same bytes. */
  beat(): void {
    if (this.hasEnded || !this.hasRoom) return;
    if (!this.isOpen) this.open({});
    this.write(this.beatFrame);
    this.flush();
  }

  /** Nobody can join from now on, and a run that nobody reads ends. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopGrace();
    this.#hold.release();
    this.#onClosed(this);
    if (this.isDeserted) this.abandon();
  }

  /** The client has everything, or will have it from what is kept: from now on the run ends by itself. */
  release(): void {
    this.#isReleased = true;
  }

  /** Notes that a connection was reset after its last byte, which it then has not delivered. */
  lose(): void {
    this.isLost = this.isDeserted;
  }

  protected get hasRoom(): boolean {
    return this.#readers.at(-1)?.isBlocked !== true;
  }

  protected keep(text: string): void {
    if (text === "") return;
    this.lastMs = this.#clock.now();
    this.#takeRoom(text.length);
    this.#madeBytes += Buffer.byteLength(text);
    this.#pieces.push(text);
  }

  #takeRoom(chars: number): void {
    if (this.#isClosed) return;
    this.#keptChars += chars;
    try {
      if (this.#keptChars > this.#maxKeptChars) this.close();
      else this.#hold.take(chars);
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
    const leader = this.hasRoom ? undefined : this.#readers.at(-1);
    this.#pieces = this.#pieces.slice(leader?.at ?? this.#pieces.length);
    for (const reader of this.#readers) {
      if (reader !== leader && reader.isBlocked) reader.drop();
      else reader.at = 0;
    }
  }

  #feed(reader: ReplyReader): void {
    if (reader.isBlocked || !this.isOpen) return;
    const isNew = reader.at < this.#pieces.length;
    if (!isNew && !this.hasEnded) return;
    reader.open(this.#headers);
    const missing = this.#pieces.length - reader.at;
    const text = missing === 1 ? (this.#pieces.at(-1) ?? "") : this.#pieces.slice(reader.at).join("");
    reader.at = this.#pieces.length;
    const onRoom = () => {
      this.#feed(reader);
      if (this.hasRoom) this.#wake();
    };
    if (this.hasEnded) reader.end(text);
    else reader.send(text, onRoom);
  }

  #leave(reader: ReplyReader): void {
    this.#readers.splice(this.#readers.indexOf(reader), 1);
    if (this.hasRoom) this.#wake();
    if (!reader.hasAll) this.lose();
    if (!this.isDeserted) return;
    if (this.#isClosed) this.abandon();
    else this.desert();
  }

  protected desert(): void {
    const { graceMs } = this.client;
    if (graceMs === 0) this.close();
    else this.#stopGrace = this.#clock.after(graceMs, () => this.close());
  }

  protected abandon(): void {
    this.abort();
  }

  /** Ends the run, unless it ends by itself. */
  protected abort(): void {
    if (!this.#isReleased) this.#aborter.abort();
  }
}
