/** The messages of a client, in their order, whether or not somebody waits for them yet. */
export class Inbox {
  readonly #ready: Buffer[] = [];
  readonly #early = new Map<number, Buffer>();
  #nextSeqno = 0;
  #wake: (() => void) | undefined;

  push(message: Buffer): void {
    this.#ready.push(message);
    this.#wake?.();
  }

  /** For messages that come as separate requests, in any order and perhaps twice. */
  pushNumbered(seqno: number, message: Buffer): void {
    if (seqno >= this.#nextSeqno) this.#early.set(seqno, message);
    for (let next = this.#early.get(this.#nextSeqno); next !== undefined; next = this.#early.get(this.#nextSeqno)) {
      this.#early.delete(this.#nextSeqno++);
      this.push(next);
    }
  }

  /** Undefined when the signal aborts first. */
  async next(signal: AbortSignal): Promise<Buffer | undefined> {
    while (this.#ready.length === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    return this.#ready.shift();
  }
}
