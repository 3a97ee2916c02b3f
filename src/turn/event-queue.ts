import type { GatewayError } from "./error.js";
import type { Batch, TurnEvent, TurnEvents } from "./event.js";

/**
 * One producer, one consumer, one slot. The producer appends to `batch` and commits; a waiting consumer gets the batch at
 * once, otherwise it stays open and the next chunk goes on filling it. Nothing is ever dropped.
 */
export class EventQueue implements TurnEvents, AsyncIterator<Batch, undefined> {
  /** The batch being filled. */
  batch: TurnEvent[] = [];
  #isEnded = false;
  #error: GatewayError | undefined;
  #waiting:
    | { resolve: (result: IteratorResult<Batch, undefined>) => void; reject: (error: unknown) => void }
    | undefined;
  readonly #onTaken: () => void;

  /** `onTaken` is called whenever the consumer has emptied the slot: the moment to let a paused producer go on. */
  constructor(onTaken: () => void = () => {}) {
    this.#onTaken = onTaken;
  }

  /** Hands the batch to a waiting consumer. False means that nobody waits and the batch is held. */
  commit(): boolean {
    if (this.#waiting === undefined || this.batch.length === 0) return this.batch.length === 0;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    const value = this.batch;
    this.batch = [];
    resolve({ value, done: false });
    return true;
  }

  /** Nothing more will come; what is held is still delivered, then the error if there is one. */
  end(error?: GatewayError): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.commit();
    if (this.#waiting === undefined) return;
    const { resolve, reject } = this.#waiting;
    this.#waiting = undefined;
    if (error === undefined) resolve({ value: undefined, done: true });
    else this.#throwOnce(reject);
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    if (this.batch.length > 0) {
      const value = this.batch;
      this.batch = [];
      this.#onTaken();
      return Promise.resolve({ value, done: false });
    }
    if (this.#isEnded) {
      return new Promise((resolve, reject) =>
        this.#error === undefined ? resolve({ value: undefined, done: true }) : this.#throwOnce(reject),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#onTaken();
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<Batch, undefined> {
    return this;
  }

  #throwOnce(reject: (error: unknown) => void): void {
    const error = this.#error;
    this.#error = undefined;
    reject(error);
  }
}
