import { Code, ConnectError } from "@connectrpc/connect";
import type { Patience } from "./patience.js";

/** The questions of one channel that the client has not answered yet. */
export class Questions<Answer> {
  readonly #open = new Map<number, (answer: Answer) => void>();
  readonly #patience: Patience;
  readonly #signal: AbortSignal;

  constructor(patience: Patience, signal: AbortSignal) {
    this.#patience = patience;
    this.#signal = signal;
  }

  /** Settles with the answer, when the time limit has passed, or when the run is over. `what` names the question in the error. */
  wait(id: number, what: string, countsFrom: "now" | "last-heard"): Promise<Answer> {
    const answered = new Promise<Answer>((resolve, reject) => {
      const onAbort = () => {
        stop();
        reject(this.#signal.reason);
      };
      const stop = this.#patience.watch(countsFrom, (limitMs) => {
        this.#signal.removeEventListener("abort", onAbort);
        reject(new ConnectError(`No answer to ${what} within ${limitMs} ms.`, Code.DeadlineExceeded));
      });
      this.#signal.addEventListener("abort", onAbort, { once: true });
      this.#open.set(id, (answer) => {
        stop();
        this.#signal.removeEventListener("abort", onAbort);
        resolve(answer);
      });
    });
    // Several questions are often sent before the first is awaited. Whoever awaits them still gets the rejection.
    answered.catch(() => {});
    return answered;
  }

  /** Ignores answers without a question, and second answers. */
  settle(id: number, answer: Answer): void {
    const answered = this.#open.get(id);
    this.#open.delete(id);
    answered?.(answer);
  }
}
