import { FrameBatch } from "./frame-batch.js";
import type { FrameSink } from "./frame-sink.js";

interface SpeechDeps {
  sink: FrameSink;
  isGzip: boolean;
  isDrifting: boolean;
  startedAtMs: bigint | undefined;
  deltaMs(): number;
  sleep(ms: number): Promise<void>;
}

/** The size of one write: large enough to be worth its cost, small enough to let other streams take their turn. */
const BATCH_BYTES = 16 * 1024;
/** One `token_delta` is sent for this many text deltas. */
const TOKENS_EVERY = 16;

/** Streams text in deltas, as fast as the reader allows or at the configured pace. */
export class Speech {
  readonly #deps: SpeechDeps;
  readonly #batch: FrameBatch;

  constructor(deps: SpeechDeps) {
    this.#deps = deps;
    this.#batch = new FrameBatch(deps);
  }

  async stream(kind: "text" | "thinking", pieces: Iterable<string>): Promise<void> {
    let count = 0;
    for (const piece of pieces) {
      const deltaMs = this.#deps.deltaMs();
      if (deltaMs > 0 && count > 0) {
        await this.#flush();
        await this.#deps.sleep(deltaMs);
      }
      this.#batch.addDelta(kind, piece);
      count += 1;
      if (count % TOKENS_EVERY === 0) this.#batch.addTokens(TOKENS_EVERY);
      if (this.#batch.byteLength >= BATCH_BYTES) await this.#flush();
    }
    if (count % TOKENS_EVERY > 0) this.#batch.addTokens(count % TOKENS_EVERY);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#batch.byteLength === 0) return;
    const { frames, payloadBytes } = this.#batch.take();
    await this.#deps.sink.sendBatch(frames, payloadBytes);
  }
}
