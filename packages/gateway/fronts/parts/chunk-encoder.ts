import type { Batch, FinishReason, TurnEvent, UsageEvent } from "../../turn/event.js";
import { type FrameWriter, writeFrame } from "../frame.js";
import type { StreamEncoder } from "../front.js";
import { toChatUsage } from "./usage.js";

interface ChunkForm {
  /** The fields that every chunk begins with. */
  readonly head: object;
  /** The field of a choice that carries the delta, and its empty value. */
  readonly field: "delta" | "text";
  readonly nothing: string;
  readonly finishReasons: Readonly<Record<FinishReason, string>>;
  readonly includeUsage: boolean;
}

/** Encodes batches as chunks with choices. All but the delta of a chunk is serialised once per reply. */
export abstract class ChunkEncoder implements StreamEncoder<void> {
  protected readonly out: FrameWriter;
  /** The chunk up to the delta, and after it. */
  protected readonly before: string;
  protected readonly after: string;
  /** The chunk up to the array `choices`. */
  readonly #head: string;
  readonly #form: ChunkForm;
  #counted: UsageEvent | undefined;
  #hasBegun = false;
  #hasFinished = false;

  constructor(form: ChunkForm, out: FrameWriter) {
    this.out = out;
    this.#form = form;
    this.#head = `${out.before()}${JSON.stringify(form.head).slice(0, -1)},"choices":`;
    this.before = `${this.#head}[{"index":0,"${form.field}":`;
    this.after = this.#after("null");
  }

  push(batch: Batch): void {
    this.#begin();
    for (const event of batch) {
      if (event.type === "usage") this.#counted = event;
      else if (event.type === "finish") this.#finish(event.reason);
      else this.encode(event);
    }
  }

  end(): void {
    this.#begin();
    // Without a finish reason, clients retry, some of them endlessly.
    if (!this.#hasFinished) this.#finish(this.hasCalled ? "tool-calls" : "stop");
    if (this.#form.includeUsage && this.#counted !== undefined) {
      const usage = JSON.stringify(toChatUsage(this.#counted.usage, this.#counted.turn));
      this.out.write(`${this.#head}[],"usage":${usage}}${this.out.after}`);
    }
    // Whole replies have this in a header. A stream knows it only now, and clients skip comments.
    if (this.#counted?.usage.estimated === true) this.out.comment("x-curlew-usage: estimated");
    writeFrame(this.out, { data: "[DONE]" });
  }

  protected abstract readonly hasCalled: boolean;

  /** Writes the part before the first event. Until then, an error is still a status. */
  protected abstract begin(): void;

  protected abstract encode(event: Exclude<TurnEvent, { type: "usage" | "finish" }>): void;

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.begin();
  }

  #finish(reason: FinishReason): void {
    this.#hasFinished = true;
    const { nothing, finishReasons } = this.#form;
    this.out.write(this.before + nothing + this.#after(`"${finishReasons[reason]}"`));
  }

  /** A client that wants usage gets the field in every chunk, null in all but the last. */
  #after(finishReason: string): string {
    const usage = this.#form.includeUsage ? ',"usage":null' : "";
    return `,"logprobs":null,"finish_reason":${finishReason}}]${usage}}${this.out.after}`;
  }
}
