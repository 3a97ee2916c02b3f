import { estimatedUsage } from "../../turn/estimate.js";
import type { Batch, TurnEvent, Usage } from "../../turn/event.js";
import type { ReplyFacts, StreamEncoder } from "../front.js";
import { BlockFrames } from "./block-frames.js";
import { toFrame } from "./frame.js";
import { notStopped, toMessage } from "./message.js";
import type { MessagesOptions } from "./parse.js";
import { toStop } from "./stop-reason.js";
import { toDeltaUsage } from "./usage.js";

type Finish = Extract<TurnEvent, { type: "finish" }>;
type Speech = Extract<TurnEvent, { type: "text" | "thinking" }>;

/** Batches as the named events of Anthropic's streams. */
export class MessagesStreamEncoder implements StreamEncoder {
  readonly #options: MessagesOptions;
  readonly #facts: ReplyFacts;
  readonly #blocks = new BlockFrames();
  /** What was said while a call was being told: a second block cannot be opened beside it. */
  readonly #held: Speech[] = [];
  #hasBegun = false;
  #hasCalls = false;
  #characters = 0;
  #usage: Usage | undefined;
  #turnUsage: Usage | undefined;
  #finish: Finish | undefined;

  constructor(options: MessagesOptions, facts: ReplyFacts) {
    this.#options = options;
    this.#facts = facts;
  }

  push(batch: Batch): string {
    let frames = this.#begin();
    for (const event of batch) frames += this.#frame(event);
    return frames;
  }

  end(): string {
    const frames = this.#begin() + this.#closeCall() + this.#blocks.close();
    const usage = this.#usage ?? estimatedUsage(this.#options.inputTokens, this.#characters);
    // A header of whole replies; a stream knows it only now, and clients pass over comments.
    const mark = usage.estimated ? ": x-curlew-usage: estimated\n\n" : "";
    // A reply without a reason for its end makes clients ask again, some without end.
    const reason = this.#finish?.reason ?? (this.#hasCalls ? "tool-calls" : "stop");
    const delta = { ...toStop(reason, this.#finish?.stopSequence), container: null };
    const stop = toFrame({ type: "message_delta", delta, usage: toDeltaUsage(usage, this.#turnUsage) });
    return frames + mark + stop + toFrame({ type: "message_stop" });
  }

  #frame(event: TurnEvent): string {
    switch (event.type) {
      case "text":
      case "thinking":
        return this.#say(event);
      case "call":
        if (event.runs !== "client") return "";
        this.#hasCalls = true;
        return this.#closeCall() + this.#blocks.openCall(event.id, event.name);
      case "call-input":
        return this.#blocks.openCallId === event.id ? this.#blocks.delta(event.delta) : "";
      case "call-end":
        return this.#blocks.openCallId === event.id ? this.#closeCall() : "";
      case "usage":
        this.#usage = event.usage;
        this.#turnUsage = event.turn;
        return "";
      case "finish":
        this.#finish = event;
        return "";
      case "call-result":
      case "checkpoint":
        return "";
    }
  }

  #say(event: Speech): string {
    if (this.#blocks.openCallId !== undefined) {
      this.#held.push(event);
      return "";
    }
    this.#characters += event.delta.length;
    if (event.type === "text")
      return event.delta === "" ? "" : this.#blocks.openText() + this.#blocks.delta(event.delta);
    if (this.#options.thinking === "none") return "";
    const opening = this.#blocks.openThinking(event.signature);
    return this.#options.thinking === "omitted" ? opening : opening + this.#blocks.delta(event.delta);
  }

  #closeCall(): string {
    if (this.#blocks.openCallId === undefined) return "";
    let frames = this.#blocks.close();
    for (const event of this.#held.splice(0)) frames += this.#say(event);
    return frames;
  }

  #begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    const message = toMessage(this.#facts, [], notStopped, estimatedUsage(this.#options.inputTokens, 0));
    return toFrame({ type: "message_start", message }) + toFrame({ type: "ping" });
  }
}
