import { GatewayError } from "../turn/error.js";
import type { Batch, Step, TurnEvents } from "../turn/event.js";
import type { Settlement } from "./settle.js";

type Settler = Pick<Settlement, "book" | "finish" | "end">;

/** The events of one reply on their way from a backend to a front: through the steps, and past the settler at the end. */
export class Relay implements TurnEvents, AsyncIterator<Batch, undefined> {
  /** Whether anything has come from upstream, be it nothing that the client gets to see. */
  hasBegun = false;
  readonly #steps: Required<Step>;
  readonly #settler: Settler;
  #source: AsyncIterator<Batch>;
  #first: IteratorResult<Batch, undefined> | undefined;
  /** What ended the reply, while the last words before it are on their way. */
  #failure: GatewayError | undefined;

  constructor(source: TurnEvents, steps: Required<Step>, settler: Settler) {
    this.#source = source[Symbol.asyncIterator]();
    this.#steps = steps;
    this.#settler = settler;
  }

  /** Waits for the first batch, so that what fails before it can still become a status. */
  async prime(): Promise<void> {
    this.#first = await this.#pull();
    if (this.#failure !== undefined) throw this.#failure; // better a status than half a word and an error behind it
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    if (this.#first === undefined) return this.#pull();
    const first = this.#first;
    this.#first = undefined;
    return Promise.resolve(first);
  }

  [Symbol.asyncIterator](): AsyncIterator<Batch, undefined> {
    return this;
  }

  async #pull(): Promise<IteratorResult<Batch, undefined>> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      for (;;) {
        const result = await this.#source.next();
        if (result.done === true) {
          this.#settler.end();
          return result;
        }
        this.hasBegun = true;
        this.#settler.book(result.value);
        let batch = this.#steps.push(result.value);
        if (batch.at(-1)?.type === "finish") batch = await this.#finish(batch);
        if (batch.length > 0) return { value: batch, done: false };
      }
    } catch (thrown) {
      return this.#break(GatewayError.from(thrown));
    }
  }

  async #finish(batch: Batch): Promise<Batch> {
    const finished = await this.#settler.finish(batch);
    if (finished.source !== undefined) this.#source = finished.source[Symbol.asyncIterator]();
    return finished.batch;
  }

  /** What the steps have held back is given out before the error is thrown. */
  #break(failure: GatewayError): IteratorResult<Batch, undefined> {
    const error = this.#settler.end(failure) ?? failure;
    const held = this.#steps.end();
    if (held.length === 0) throw error;
    this.#failure = error;
    return { value: held, done: false };
  }
}
