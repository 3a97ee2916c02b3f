import type { GatewayError } from "./error.js";
import type { Batch, TurnEvent, TurnEvents } from "./event.js";

type Next = IteratorResult<Batch, undefined>;

/** One producer, one consumer, one slot: a waiting consumer gets a committed batch at once, otherwise the next chunk fills it further. */
export class EventQueue implements TurnEvents, AsyncIterator<Batch, undefined> {
  batch: TurnEvent[] = [];
  #isEnded = false;
  #error: GatewayError | undefined;
  #waiting: ((next: Next | Promise<Next>) => void) | undefined;
  readonly #onTaken: () => void;

  /** Back-pressure: `onTaken` is called when the consumer empties the slot or waits, to resume a paused producer. */
  constructor(onTaken: () => void = () => {}) {
    this.#onTaken = onTaken;
  }

  /** Hands the batch to a waiting consumer. Returns false when no consumer waits and the batch is held. */
  commit(): boolean {
    if (this.#waiting === undefined || this.batch.length === 0) return this.batch.length === 0;
    const resolve = this.#waiting;
    this.#waiting = undefined;
    const value = this.batch;
    this.batch = [];
    resolve({ value, done: false });
    return true;
  }

  /** Ends the queue. The held batch is still delivered, then the error if there is one. */
  end(error?: GatewayError): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.commit();
    const resolve = this.#waiting;
    this.#waiting = undefined;
    resolve?.(this.#over());
  }

  next(): Promise<Next> {
    if (this.batch.length > 0) {
      const value = this.batch;
      this.batch = [];
      this.#onTaken();
      return Promise.resolve({ value, done: false });
    }
    if (this.#isEnded) return this.#over();
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#onTaken();
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<Batch, undefined> {
    return this;
  }

  #over(): Promise<Next> {
    const error = this.#error;
    this.#error = undefined;
    return error === undefined ? Promise.resolve({ value: undefined, done: true }) : Promise.reject(error);
  }
}
