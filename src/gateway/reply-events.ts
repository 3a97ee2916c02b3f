import { GatewayError } from "../turn/error.js";
import type { Batch, TurnEvents } from "../turn/event.js";

/** A synchronous look at a batch; returns the same array when nothing changes. */
export type Step = (batch: Batch) => Batch;

interface ReplyEventsDeps {
  source: TurnEvents;
  steps: readonly Step[];
  /** Called when the finish has come and before anybody sees it. More events may follow instead of it. */
  onFinish: (batch: Batch) => Promise<TurnEvents | undefined>;
  /** Called once, when nothing more will come, with or without an error. */
  onEnd: () => void;
}

/** The events of one reply on their way from a backend to a front: through the steps, and past the books at the end. */
export class ReplyEvents implements TurnEvents, AsyncIterator<Batch, undefined> {
  readonly #deps: ReplyEventsDeps;
  #source: AsyncIterator<Batch>;
  #first: IteratorResult<Batch, undefined> | undefined;

  constructor(deps: ReplyEventsDeps) {
    this.#deps = deps;
    this.#source = deps.source[Symbol.asyncIterator]();
  }

  /** Waits for the first batch, so that what fails before it can still become a status. */
  async prime(): Promise<void> {
    this.#first = await this.#pull();
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
    try {
      for (;;) {
        const result = await this.#source.next();
        if (result.done === true) {
          this.#deps.onEnd();
          return result;
        }
        let batch = result.value;
        for (const step of this.#deps.steps) batch = step(batch);
        if (batch.at(-1)?.type === "finish") batch = await this.#finish(batch);
        if (batch.length > 0) return { value: batch, done: false };
      }
    } catch (thrown) {
      this.#deps.onEnd();
      throw GatewayError.from(thrown);
    }
  }

  async #finish(batch: Batch): Promise<Batch> {
    const more = await this.#deps.onFinish(batch);
    if (more === undefined) return batch;
    this.#source = more[Symbol.asyncIterator]();
    return batch.filter(({ type }) => type !== "finish" && type !== "usage");
  }
}

/** A reply that is known from the start. */
export async function* oneBatch(batch: Batch): AsyncGenerator<Batch, undefined> {
  yield batch;
}
