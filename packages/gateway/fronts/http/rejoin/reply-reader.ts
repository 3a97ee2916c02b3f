import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../../system/clock.js";
import { type Answer, writeAnswer } from "../answer.js";
import { BodyStream } from "../body-stream.js";

interface ReaderConnection {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly signal: AbortSignal;
}

/** One client that reads a running reply, at its own pace. */
export class ReplyReader extends BodyStream {
  at = 0;
  /** Whether it must drain before it gets more. */
  isBlocked = false;
  /** Resolves when everything is sent, or when the client has left. */
  readonly over: Promise<void>;
  readonly #connection: ReaderConnection;

  constructor(connection: ReaderConnection, clock: Clock) {
    const { outgoing, signal } = connection;
    super(outgoing, clock);
    this.#connection = connection;
    this.over = new Promise((resolve) => {
      outgoing.once("finish", resolve);
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Whether the whole reply has been handed to the network. */
  get hasAll(): boolean {
    return this.#connection.outgoing.writableFinished;
  }

  /** Sends a piece of the reply. On back-pressure, calls `onRoom` after the drain. */
  send(text: string, onRoom: () => void): void {
    const { signal } = this.#connection;
    this.write(text);
    if (this.flush()) return;
    this.isBlocked = true;
    void this.drained(signal).then(() => {
      this.isBlocked = false;
      if (!signal.aborted) onRoom();
    });
  }

  answer(answer: Answer): void {
    if (!this.#connection.signal.aborted) writeAnswer(this.#connection.outgoing, answer);
  }

  /** Cuts the connection: the frames that it lacks are gone. */
  drop(): void {
    this.#connection.incoming.socket.destroy();
  }
}
