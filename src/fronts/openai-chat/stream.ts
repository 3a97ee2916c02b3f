import type { Batch, FinishReason, TurnEvent, Usage } from "../../turn/event.js";
import type { ReplyFacts, StreamEncoder } from "../front.js";
import { toFinishReason } from "./finish-reason.js";
import type { ChatOptions } from "./parse.js";
import { toChatUsage } from "./usage.js";

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
  /** The calls that the client sees: their places, and whether any argument has been written. */
  readonly #calls = new Map<string, { index: number; hasInput: boolean }>();
  #usage: Usage | undefined;
  #hasBegun = false;
  #hasFinished = false;

  constructor({ includeUsage }: ChatOptions, { id, createdMs, model }: ReplyFacts) {
    this.#includeUsage = includeUsage;
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
    if (!this.#hasFinished) frames += this.#finish(this.#calls.size > 0 ? "tool-calls" : "stop");
    if (this.#includeUsage && this.#usage !== undefined) {
      frames += `${this.#head}[],"usage":${JSON.stringify(toChatUsage(this.#usage))}}\n\n`;
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
        return event.runs === "client" ? this.#call(event.id, event.name) : "";
      case "call-input":
        return this.#callInput(event.id, event.delta);
      case "call-end":
        // Clients parse what they collected, and nothing at all is not JSON.
        return this.#calls.get(event.id)?.hasInput === false ? this.#callInput(event.id, "{}") : "";
      case "usage":
        this.#usage = event.usage;
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

  #call(id: string, name: string): string {
    const index = this.#calls.size;
    this.#calls.set(id, { index, hasInput: false });
    const call = { index, id, type: "function", function: { name, arguments: "" } };
    return this.#delta(`{"tool_calls":[${JSON.stringify(call)}]}`);
  }

  #callInput(id: string, delta: string): string {
    const call = this.#calls.get(id);
    if (call === undefined || delta === "") return "";
    call.hasInput = true;
    return this.#delta(`{"tool_calls":[{"index":${call.index},"function":{"arguments":${JSON.stringify(delta)}}}]}`);
  }

  #finish(reason: FinishReason): string {
    this.#hasFinished = true;
    const word = toFinishReason(reason);
    return `${this.#beforeDelta}{},"logprobs":null,"finish_reason":"${word}"}]${this.#usageField()}}\n\n`;
  }

  #delta(json: string): string {
    return this.#beforeDelta + json + this.#afterDelta;
  }

  /** A client that wants usage finds the field in every chunk, null in all but the last. */
  #usageField(): string {
    return this.#includeUsage ? ',"usage":null' : "";
  }
}
