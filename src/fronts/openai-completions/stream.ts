import type { TurnResult } from "../../turn/collect.js";
import type { Batch, FinishReason, TurnEvent, Usage } from "../../turn/event.js";
import { type FrameWriter, writeFrame } from "../frame.js";
import type { ReplyHead, StreamEncoder } from "../front.js";
import { toChatUsage } from "../parts/usage.js";
import type { CompletionOptions } from "./parse.js";

/** Encodes batches as `text_completion` events. They cannot carry thinking. */
export class CompletionStreamEncoder implements StreamEncoder<void> {
  readonly #out: FrameWriter;
  readonly #includeUsage: boolean;
  readonly #head: ReturnType<typeof writeHead>;
  /** Waits for the first event: until then, an error is still a status. */
  #echo: string;
  #usage: Usage | undefined;
  #turnUsage: Usage | undefined;
  #hasFinished = false;

  constructor({ includeUsage, echo }: CompletionOptions, head: ReplyHead, out: FrameWriter) {
    this.#out = out;
    this.#includeUsage = includeUsage;
    this.#echo = echo;
    this.#head = writeHead(head);
  }

  push(batch: Batch): void {
    this.#begin();
    for (const event of batch) this.#write(event);
  }

  end(): void {
    this.#begin();
    // Without a finish reason, clients ask again, some of them endlessly.
    if (!this.#hasFinished) this.#finish("stop");
    if (this.#includeUsage && this.#usage !== undefined) {
      this.#frame({ ...this.#head, choices: [], usage: toChatUsage(this.#usage, this.#turnUsage) });
    }
    // Whole replies have this in a header. A stream knows it only now, and clients skip comments.
    if (this.#usage?.estimated === true) this.#out.comment("x-curlew-usage: estimated");
    writeFrame(this.#out, { data: "[DONE]" });
  }

  #write(event: TurnEvent): void {
    switch (event.type) {
      case "text":
        this.#chunk(event.delta, null);
        break;
      case "usage":
        this.#usage = event.usage;
        this.#turnUsage = event.turn;
        break;
      case "finish":
        this.#finish(event.reason);
        break;
      case "thinking":
      case "call":
      case "call-input":
      case "call-end":
      case "call-result":
      case "checkpoint":
        break;
    }
  }

  #begin(): void {
    const echo = this.#echo;
    this.#echo = "";
    if (echo !== "") this.#chunk(echo, null);
  }

  #finish(reason: FinishReason): void {
    this.#hasFinished = true;
    this.#chunk("", finishReasons[reason]);
  }

  #chunk(text: string, finish_reason: string | null): void {
    this.#frame({
      ...this.#head,
      choices: [{ index: 0, text, logprobs: null, finish_reason }],
      ...(this.#includeUsage && { usage: null }),
    });
  }

  #frame(value: object): void {
    writeFrame(this.#out, { data: JSON.stringify(value) });
  }
}

export function writeReply(result: TurnResult, { echo }: CompletionOptions, head: ReplyHead) {
  const { text, usage, turnUsage, finish } = result;
  return {
    ...writeHead(head),
    choices: [{ index: 0, text: echo + text, logprobs: null, finish_reason: finishReasons[finish] }],
    ...(usage !== undefined && { usage: toChatUsage(usage, turnUsage) }),
  };
}

function writeHead({ id, createdMs, model }: ReplyHead) {
  return { id: `cmpl-${id}`, object: "text_completion", created: Math.floor(createdMs / 1000), model };
}

/** This API has no calls, and the request offers no tools. */
const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  "tool-calls": "stop",
  length: "length",
  filtered: "content_filter",
};
