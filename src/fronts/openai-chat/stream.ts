import type { Batch, FinishReason, TurnEvent, Usage } from "../../turn/event.js";
import type { ReplyFacts, StreamEncoder } from "../front.js";
import { toChatUsage } from "../parts/chat-usage.js";
import { CallDeltas } from "./call-deltas.js";
import { toFinishReason } from "./finish-reason.js";
import type { ChatOptions } from "./parse.js";

/**
 * Batches as `chat.completion.chunk` events. Everything but the text itself is the same in each chunk, so it is written
 * once per reply; a test keeps the result equal to the plain JSON of each chunk.
 */
export class ChatStreamEncoder implements StreamEncoder {
  readonly #includeUsage: boolean;
  /** Up to the object `delta`, and from its end on. */
  readonly #beforeDelta: string;
  readonly #afterDelta: string;
  readonly #beforeText: string;
  readonly #beforeThinking: string;
  readonly #afterText: string;
  /** Up to the array `choices`. */
  readonly #head: string;
  readonly #calls: CallDeltas;
  #usage: Usage | undefined;
  #turnUsage: Usage | undefined;
  #hasBegun = false;
  #hasFinished = false;

  constructor({ includeUsage, customTools }: ChatOptions, { id, createdMs, model }: ReplyFacts) {
    this.#includeUsage = includeUsage;
    this.#calls = new CallDeltas(customTools);
    const created = Math.floor(createdMs / 1000);
    this.#head = `data: {"id":${JSON.stringify(`chatcmpl-${id}`)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)},"choices":`;
    this.#beforeDelta = `${this.#head}[{"index":0,"delta":`;
    this.#afterDelta = `,"logprobs":null,"finish_reason":null}]${this.#usageField()}}\n\n`;
    this.#beforeText = `${this.#beforeDelta}{"content":`;
    this.#beforeThinking = `${this.#beforeDelta}{"reasoning_content":`;
    this.#afterText = `}${this.#afterDelta}`;
  }

  push(batch: Batch): string {
    let frames = this.#begin();
    for (const event of batch) frames += this.#frame(event);
    return frames;
  }

  end(): string {
    let frames = this.#begin();
    // A reply without a finish makes clients ask again, some without end.
    if (!this.#hasFinished) frames += this.#finish(this.#calls.count > 0 ? "tool-calls" : "stop");
    if (this.#includeUsage && this.#usage !== undefined) {
      frames += `${this.#head}[],"usage":${JSON.stringify(toChatUsage(this.#usage, this.#turnUsage))}}\n\n`;
    }
    // A header of whole replies; a stream knows it only now, and clients pass over comments.
    if (this.#usage?.estimated === true) frames += ": x-curlew-usage: estimated\n\n";
    return `${frames}data: [DONE]\n\n`;
  }

  #frame(event: TurnEvent): string {
    switch (event.type) {
      case "text":
        return this.#beforeText + JSON.stringify(event.delta) + this.#afterText;
      case "thinking":
        return event.delta === "" ? "" : this.#beforeThinking + JSON.stringify(event.delta) + this.#afterText;
      case "call":
        return event.runs === "client" ? this.#delta(this.#calls.begin(event.id, event.name)) : "";
      case "call-input":
        return this.#delta(this.#calls.input(event.id, event.delta));
      case "call-end":
        return this.#delta(this.#calls.end(event.id));
      case "usage":
        this.#usage = event.usage;
        this.#turnUsage = event.turn;
        return "";
      case "finish":
        return this.#finish(event.reason);
      case "call-result":
      case "checkpoint":
        return "";
    }
  }

  #begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return this.#delta('{"role":"assistant","content":""}');
  }

  #finish(reason: FinishReason): string {
    this.#hasFinished = true;
    const word = toFinishReason(reason);
    return `${this.#beforeDelta}{},"logprobs":null,"finish_reason":"${word}"}]${this.#usageField()}}\n\n`;
  }

  #delta(json: string): string {
    return json === "" ? "" : this.#beforeDelta + json + this.#afterDelta;
  }

  /** A client that wants usage finds the field in every chunk, null in all but the last. */
  #usageField(): string {
    return this.#includeUsage ? ',"usage":null' : "";
  }
}
