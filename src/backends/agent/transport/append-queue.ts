import { GatewayError } from "../../../turn/error.js";
import { askedTooMuch, FULL_BYTES, MAX_HELD_BYTES } from "./run-channel.js";

/** Cursor's own clients keep up to 16 appends in flight (docs/protocol/wire.md, runs over HTTP/1.1). */
const MAX_IN_FLIGHT = 16;

interface AppendQueueDeps {
  /** Resolves when the server has the message, rejects when it never will. */
  readonly send: (seqno: number, payload: Uint8Array) => Promise<void>;
  readonly onFailed: (error: GatewayError) => void;
  /** Called when the queue was full and has room again. */
  readonly onRoom: () => void;
}

/**
 * The client's half of a run over HTTP/1.1, message by message. Each message has a number by which the server puts them in order,
 * so several may be in flight at once. Only the first goes alone, because it creates the run.
 */
export class AppendQueue {
  readonly #deps: AppendQueueDeps;
  #waiting: Uint8Array[] = [];
  /**
   * The number of waiting messages that were sent already. Removing them from the front one by one would move a long array each
   * time.
   */
  #left = 0;
  #heldBytes = 0;
  #inFlight = 0;
  #nextSeqno = 0;
  #isFirstThere = false;
  #isClosed = false;

  constructor(deps: AppendQueueDeps) {
    this.#deps = deps;
  }

  get isFull(): boolean {
    return this.#heldBytes > FULL_BYTES;
  }

  push(payload: Uint8Array): void {
    if (this.#isClosed) return;
    if (this.#heldBytes > 0 && this.#heldBytes + payload.length > MAX_HELD_BYTES) {
      this.#fail(askedTooMuch());
      return;
    }
    this.#heldBytes += payload.length;
    this.#waiting.push(payload);
    this.#sendNext();
  }

  /** Sends nothing more and does not wait for messages in flight. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  #sendNext(): void {
    const room = this.#isFirstThere ? MAX_IN_FLIGHT : 1;
    while (!this.#isClosed && this.#inFlight < room) {
      const payload = this.#waiting[this.#left];
      if (payload === undefined) {
        this.#waiting = [];
        this.#left = 0;
        return;
      }
      this.#left += 1;
      this.#inFlight += 1;
      this.#deps.send(this.#nextSeqno++, payload).then(
        () => this.#onSent(payload.length),
        (thrown: unknown) => this.#fail(GatewayError.from(thrown)),
      );
    }
  }

  #onSent(bytes: number): void {
    const wasFull = this.isFull;
    this.#inFlight -= 1;
    this.#heldBytes -= bytes;
    this.#isFirstThere = true;
    this.#sendNext();
    if (wasFull && !this.isFull && !this.#isClosed) this.#deps.onRoom();
  }

  #fail(error: GatewayError): void {
    if (this.#isClosed) return;
    this.close();
    this.#deps.onFailed(error);
  }
}
