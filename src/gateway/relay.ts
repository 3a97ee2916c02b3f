import { GatewayError } from "../turn/error.js";
import type { Batch, TurnEvents } from "../turn/event.js";

/** A synchronous look at the batches of a reply. */
export interface Step {
  /** Returns the same array when nothing changes. */
  push(batch: Batch): Batch;
  /** What is held back, when the reply breaks off without a finish. */
  end?(): Batch;
}

/** What becomes of a reply whose finish has come. */
export interface Finished {
  /** What the client gets of the batch with the finish. */
  readonly batch: Batch;
  /** Where the reply goes on; where it was, if nowhere else. */
  readonly source?: TurnEvents;
}

interface ReplyEventsDeps {
  source: TurnEvents;
  steps: readonly Step[];
  /** Called when the finish has come and before anybody sees it. */
  onFinish: (batch: Batch) => Promise<Finished>;
  /** Called once, when nothing more will come, with or without an error. Returns the error to tell, if it knows a better one. */
  onEnd: (failure?: GatewayError) => GatewayError | undefined;
}

/** The events of one reply on their way from a backend to a front: through the steps, and past the books at the end. */
export class ReplyEvents implements TurnEvents, AsyncIterator<Batch, undefined> {
  readonly #deps: ReplyEventsDeps;
  #source: AsyncIterator<Batch>;
  #first: IteratorResult<Batch, undefined> | undefined;
  /** What ended the reply, while the last words before it are on their way. */
  #failure: GatewayError | undefined;

  constructor(deps: ReplyEventsDeps) {
    this.#deps = deps;
    this.#source = deps.source[Symbol.asyncIterator]();
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
          this.#deps.onEnd();
          return result;
        }
        let batch = result.value;
        for (const step of this.#deps.steps) batch = step.push(batch);
        if (batch.at(-1)?.type === "finish") batch = await this.#finish(batch);
        if (batch.length > 0) return { value: batch, done: false };
      }
    } catch (thrown) {
      return this.#break(GatewayError.from(thrown));
    }
  }

  async #finish(batch: Batch): Promise<Batch> {
    const finished = await this.#deps.onFinish(batch);
    if (finished.source !== undefined) this.#source = finished.source[Symbol.asyncIterator]();
    return finished.batch;
  }

  /** What the steps have held back is given out before the error is thrown. */
  #break(failure: GatewayError): IteratorResult<Batch, undefined> {
    const error = this.#deps.onEnd(failure) ?? failure;
    let held: Batch = [];
    for (const step of this.#deps.steps) held = [...(held.length > 0 ? step.push(held) : []), ...(step.end?.() ?? [])];
    if (held.length === 0) throw error;
    this.#failure = error;
    return { value: held, done: false };
  }
}

/** Events that are known from the start. */
export async function* batches(...all: readonly Batch[]): AsyncGenerator<Batch, undefined> {
  yield* all;
}
