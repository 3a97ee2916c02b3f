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

  /** Resolves with the answer; rejects after the time limit or when the run ends. `what` names the question in the error. */
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
    // Avoids unhandled rejections: several questions are often sent before the first is awaited, which still rejects.
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
