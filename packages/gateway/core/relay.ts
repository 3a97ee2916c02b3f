import { GatewayError } from "../turn/error.js";
import type { Batch, Step, TurnEvents } from "../turn/event.js";
import type { Settlement } from "./settle.js";

type Settler = Pick<Settlement, "observe" | "saveLast" | "finish" | "end">;

/** Relays the events of one reply from a backend to a front. They pass the steps, and the settler acts on the finish. */
export class Relay implements TurnEvents, AsyncIterator<Batch, undefined> {
  /** Whether anything has come from upstream, including events that the client never sees. */
  hasBegun = false;
  readonly #steps: Required<Step>;
  readonly #settler: Settler;
  #source: AsyncIterator<Batch>;
  #first: IteratorResult<Batch, undefined> | undefined;
  /** The error that ended the reply. It is thrown after the text that the steps held back. */
  #failure: GatewayError | undefined;

  constructor(source: TurnEvents, steps: Required<Step>, settler: Settler) {
    this.#source = source[Symbol.asyncIterator]();
    this.#steps = steps;
    this.#settler = settler;
  }

  /** Waits for the first batch. @throws GatewayError that ended the reply before, because a status is better than half a word */
  async prime(): Promise<void> {
    this.#first = await this.#pull();
    if (this.#failure !== undefined) throw this.#failure;
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
        this.#settler.observe(result.value);
        let batch = this.#steps.push(result.value);
        if (batch.at(-1)?.type === "finish") batch = await this.#finish(batch);
        else this.#settler.saveLast();
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

  /** Flushes what the steps have held back; the next pull throws the error. */
  #break(failure: GatewayError): IteratorResult<Batch, undefined> {
    const error = this.#settler.end(failure) ?? failure;
    const held = this.#steps.end();
    if (held.length === 0) throw error;
    this.#failure = error;
    return { value: held, done: false };
  }
}
