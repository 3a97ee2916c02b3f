import type { EndedRequests } from "./ended-requests.js";
import type { LiveParts } from "./live-parts.js";

/** The messages of one moment. Most pages get the same one, which is written once. */
export class LiveMessages {
  /** How many requests have ended since the last. */
  readonly ended: number;
  readonly #parts: LiveParts;
  readonly #nowMs: number;
  readonly #requests: { readonly json: string; readonly leftOut: number } | undefined;
  readonly #written = new Map<string, Buffer>();

  constructor(parts: LiveParts, ended: EndedRequests, nowMs: number) {
    this.#parts = parts;
    this.#nowMs = nowMs;
    this.ended = ended.count;
    this.#requests = ended.count === 0 ? undefined : ended.take(nowMs);
  }

  /** For a page that does not know these parts, and has missed so many requests. Undefined if there is nothing to tell. */
  of(untold: number, missed: number): Buffer | undefined {
    if (untold === 0 && this.#requests === undefined && missed === 0) return undefined;
    const key = `${untold} ${missed}`;
    const known = this.#written.get(key);
    if (known !== undefined) return known;
    const bytes = Buffer.from(`${this.#nowEvent(untold)}${this.#endedEvent(missed)}`);
    this.#written.set(key, bytes);
    return bytes;
  }

  #nowEvent(untold: number): string {
    return untold === 0 ? "" : this.#parts.event(untold, this.#nowMs);
  }

  #endedEvent(missed: number): string {
    const { json = "[]", leftOut = 0 } = this.#requests ?? {};
    const skipped = leftOut + missed;
    if (this.#requests === undefined && missed === 0) return "";
    return `event: ended\ndata: {"entries":${json},"skipped":${skipped}}\n\n`;
  }
}
