import type { TurnResult } from "../../turn/collect.js";
import type { FinishReason, TurnEvent } from "../../turn/event.js";
import type { FrameWriter } from "../frame.js";
import type { ReplyHead } from "../front.js";
import { ChunkEncoder } from "../parts/chunk-encoder.js";
import { toChatUsage } from "../parts/usage.js";
import type { CompletionOptions } from "./parse.js";

/** Encodes batches as `text_completion` events. They carry text alone, no thinking and no calls. */
export class CompletionStreamEncoder extends ChunkEncoder {
  protected readonly hasCalled = false;
  readonly #echo: string;

  constructor({ includeUsage, echo }: CompletionOptions, head: ReplyHead, out: FrameWriter) {
    super({ head: writeHead(head), field: "text", nothing: '""', finishReasons, includeUsage }, out);
    this.#echo = echo;
  }

  protected begin(): void {
    if (this.#echo !== "") this.#text(this.#echo);
  }

  protected encode(event: TurnEvent): void {
    if (event.type === "text") this.#text(event.delta);
  }

  #text(text: string): void {
    this.out.write(this.before + JSON.stringify(text) + this.after);
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
