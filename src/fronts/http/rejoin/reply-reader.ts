import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Answer, writeAnswer } from "../answer.js";
import type { BodyStream } from "../body-stream.js";

export interface ReaderConnection {
  readonly stream: BodyStream;
  readonly outgoing: ServerResponse;
  readonly socket: Socket;
  readonly signal: AbortSignal;
}

/** One client that reads a running reply, at its own pace. */
export class ReplyReader {
  at = 0;
  /** Whether it must take what it was sent before it gets more. */
  isBlocked = false;
  /** Resolves when everything is sent, or when the client has left. */
  readonly over: Promise<void>;
  readonly #connection: ReaderConnection;
  #settle = () => {};

  constructor(connection: ReaderConnection) {
    this.#connection = connection;
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
    if (!this.#connection.stream.isOpen) this.#connection.stream.open(headers);
  }

  /** Sends a piece of the reply. Calls back when there is room again, if there is none now. */
  send(text: string, onRoom: () => void): void {
    const { stream, signal } = this.#connection;
    stream.write(text);
    if (stream.flush()) return;
    this.isBlocked = true;
    void stream.drained(signal).then(() => {
      this.isBlocked = false;
      if (!signal.aborted) onRoom();
    });
  }

  end(text: string): void {
    this.#connection.stream.write(text);
    this.#connection.stream.end();
  }

  answer(answer: Answer): void {
    if (!this.#connection.signal.aborted) writeAnswer(this.#connection.outgoing, answer);
  }

  /** Cuts the connection: what it lacks is no longer there. */
  drop(): void {
    this.#connection.socket.destroy();
  }
}
