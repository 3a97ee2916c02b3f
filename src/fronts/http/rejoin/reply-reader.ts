import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../../clock.js";
import { type Answer, writeAnswer } from "../answer.js";
import { BodyStream } from "../body-stream.js";

interface ReaderConnection {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly signal: AbortSignal;
}

/** One client that reads a running reply, at its own pace. */
export class ReplyReader {
  at = 0;
  /** Whether it must take what it was sent before it gets more. */
  isBlocked = false;
  /** Resolves when everything is sent, or when the client has left. */
  readonly over: Promise<void>;
  readonly stream: BodyStream;
  readonly #connection: ReaderConnection;
  #settle = () => {};

  constructor(connection: ReaderConnection, clock: Clock) {
    this.#connection = connection;
    this.stream = new BodyStream(connection.outgoing, clock);
    this.over = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const { outgoing, signal } = connection;
    outgoing.once("finish", this.#settle);
    if (signal.aborted) this.#settle();
    else signal.addEventListener("abort", this.#settle, { once: true });
  }

  /** Whether the whole reply has been handed to the network. */
  get hasAll(): boolean {
    return this.#connection.outgoing.writableFinished;
  }

  open(headers: Readonly<Record<string, string>>): void {
    if (!this.stream.isOpen) this.stream.open(headers);
  }

  /** Sends a piece of the reply. Calls back when there is room again, if there is none now. */
  send(text: string, onRoom: () => void): void {
    const { signal } = this.#connection;
    this.stream.write(text);
    if (this.stream.flush()) return;
    this.isBlocked = true;
    void this.stream.drained(signal).then(() => {
      this.isBlocked = false;
      if (!signal.aborted) onRoom();
    });
  }

  end(text: string): void {
    this.stream.write(text);
    this.stream.end();
  }

  answer(answer: Answer): void {
    if (!this.#connection.signal.aborted) writeAnswer(this.#connection.outgoing, answer);
  }

  /** Cuts the connection: what it lacks is no longer there. */
  drop(): void {
    this.#connection.incoming.socket.destroy();
  }
}
