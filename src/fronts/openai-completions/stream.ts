import type { Batch, FinishReason, TurnEvent, Usage } from "../../turn/event.js";
import type { ReplyFacts, StreamEncoder } from "../front.js";
import { toChatUsage } from "../parts/chat-usage.js";
import { toFinishReason } from "./finish-reason.js";
import type { CompletionOptions } from "./parse.js";
import { writeHead } from "./reply.js";

/** Batches as `text_completion` events. Thinking has no place in them. */
export class CompletionStreamEncoder implements StreamEncoder {
  readonly #includeUsage: boolean;
  readonly #head: ReturnType<typeof writeHead>;
  /** Waits for the first event: before it, an error is still a status. */
  #echo: string;
  #usage: Usage | undefined;
  #turnUsage: Usage | undefined;
  #hasFinished = false;

  constructor({ includeUsage, echo }: CompletionOptions, facts: ReplyFacts) {
    this.#includeUsage = includeUsage;
    this.#echo = echo;
    this.#head = writeHead(facts);
  }

  push(batch: Batch): string {
    let frames = this.#begin();
    for (const event of batch) frames += this.#frame(event);
    return frames;
  }

  end(): string {
    let frames = this.#begin();
    // A reply without a finish makes clients ask again, some without end.
    if (!this.#hasFinished) frames += this.#finish("stop");
    if (this.#includeUsage && this.#usage !== undefined) {
      frames += frame({ ...this.#head, choices: [], usage: toChatUsage(this.#usage, this.#turnUsage) });
    }
    // A header of whole replies; a stream knows it only now, and clients pass over comments.
    if (this.#usage?.estimated === true) frames += ": x-curlew-usage: estimated\n\n";
    return `${frames}data: [DONE]\n\n`;
  }

  #frame(event: TurnEvent): string {
    switch (event.type) {
      case "text":
        return this.#chunk(event.delta, null);
      case "usage":
        this.#usage = event.usage;
        this.#turnUsage = event.turn;
        return "";
      case "finish":
        return this.#finish(event.reason);
      case "thinking":
      case "call":
      case "call-input":
      case "call-end":
      case "call-result":
      case "checkpoint":
        return "";
    }
  }

  #begin(): string {
    const echo = this.#echo;
    this.#echo = "";
    return echo === "" ? "" : this.#chunk(echo, null);
  }

  #finish(reason: FinishReason): string {
    this.#hasFinished = true;
    return this.#chunk("", toFinishReason(reason));
  }

  #chunk(text: string, finish_reason: string | null): string {
    return frame({
      ...this.#head,
      choices: [{ index: 0, text, logprobs: null, finish_reason }],
      ...(this.#includeUsage && { usage: null }),
    });
  }
}

function frame(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
