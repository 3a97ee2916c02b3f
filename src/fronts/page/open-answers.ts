import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../clock.js";

const LOOK_EVERY_MS = 1_000;

interface OpenAnswersDeps {
  readonly clock: Pick<Clock, "every">;
  /** Whether the session of this request is open now. */
  readonly isOpen: (incoming: IncomingMessage) => boolean;
}

/** Cuts the answers that are still being written when their session ends: no stream may outlive the permission to read it. */
export class OpenAnswers {
  readonly #deps: OpenAnswersDeps;
  readonly #answers = new Map<ServerResponse, IncomingMessage>();
  #stop: (() => void) | undefined;

  constructor(deps: OpenAnswersDeps) {
    this.#deps = deps;
  }

  add(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#answers.set(outgoing, incoming);
    outgoing.once("close", () => this.#drop(outgoing));
    this.#stop ??= this.#deps.clock.every(LOOK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    for (const [outgoing, incoming] of this.#answers) {
      // An answer that waits for another on the same connection gets no event when the connection closes.
      if (incoming.socket.destroyed) this.#drop(outgoing);
      else if (!this.#deps.isOpen(incoming)) outgoing.destroy();
    }
  }

  #drop(outgoing: ServerResponse): void {
    this.#answers.delete(outgoing);
    if (this.#answers.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }
}
