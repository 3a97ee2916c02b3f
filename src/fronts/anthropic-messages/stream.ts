import { estimatedUsage } from "../../turn/estimate.js";
import type { Batch, TurnEvent, Usage } from "../../turn/event.js";
import { type FrameWriter, writeFrame } from "../frame.js";
import type { ReplyHead, StreamEncoder } from "../front.js";
import { BlockFrames } from "./block-frames.js";
import { notStopped, toDeltaUsage, toFrame, toMessage, toStop } from "./message.js";
import type { MessagesOptions } from "./parse.js";

type Finish = Extract<TurnEvent, { type: "finish" }>;
type Speech = Extract<TurnEvent, { type: "text" | "thinking" }>;

/** Encodes batches as the named events of Anthropic's streams. */
export class MessagesStreamEncoder implements StreamEncoder<void> {
  readonly #out: FrameWriter;
  readonly #options: MessagesOptions;
  readonly #head: ReplyHead;
  readonly #blocks: BlockFrames;
  /** Text that came while a call was streamed: a second block cannot be opened beside it. */
  readonly #held: Speech[] = [];
  #hasBegun = false;
  #hasCalls = false;
  #characters = 0;
  #usage: Usage | undefined;
  #turnUsage: Usage | undefined;
  #finish: Finish | undefined;

  constructor(options: MessagesOptions, head: ReplyHead, out: FrameWriter) {
    this.#out = out;
    this.#blocks = new BlockFrames(out);
    this.#options = options;
    this.#head = head;
  }

  push(batch: Batch): void {
    this.#begin();
    for (const event of batch) this.#write(event);
  }

  end(): void {
    this.#begin();
    this.#closeCall();
    this.#blocks.close();
    const usage = this.#usage ?? estimatedUsage(this.#options.inputTokens, this.#characters);
    // Whole replies have this in a header. A stream knows it only now, and clients skip comments.
    if (usage.estimated) this.#out.comment("x-curlew-usage: estimated");
    // Without a reason for the end, clients ask again, some of them endlessly.
    const reason = this.#finish?.reason ?? (this.#hasCalls ? "tool-calls" : "stop");
    const delta = { ...toStop(reason, this.#finish?.stopSequence), container: null };
    this.#frame({ type: "message_delta", delta, usage: toDeltaUsage(usage, this.#turnUsage) });
    this.#frame({ type: "message_stop" });
  }

  #write(event: TurnEvent): void {
    switch (event.type) {
      case "text":
      case "thinking":
        this.#say(event);
        break;
      case "call":
        if (event.runs !== "client") break;
        this.#hasCalls = true;
        this.#closeCall();
        this.#blocks.openCall(event.id, event.name);
        break;
      case "call-input":
        if (this.#blocks.openCallId === event.id) this.#blocks.delta(event.delta);
        break;
      case "call-end":
        if (this.#blocks.openCallId === event.id) this.#closeCall();
        break;
      case "usage":
        this.#usage = event.usage;
        this.#turnUsage = event.turn;
        break;
      case "finish":
        this.#finish = event;
        break;
      case "call-result":
      case "checkpoint":
        break;
    }
  }

  #say(event: Speech): void {
    if (this.#blocks.openCallId !== undefined) {
      this.#held.push(event);
      return;
    }
    this.#characters += event.delta.length;
    if (event.type === "text") {
      if (event.delta === "") return;
      this.#blocks.openText();
      this.#blocks.delta(event.delta);
    } else if (this.#options.thinking !== "none") {
      this.#blocks.openThinking(event.signature);
      if (this.#options.thinking === "shown") this.#blocks.delta(event.delta);
    }
  }

  #closeCall(): void {
    if (this.#blocks.openCallId === undefined) return;
    this.#blocks.close();
    for (const event of this.#held.splice(0)) this.#say(event);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const message = toMessage(this.#head, [], notStopped, estimatedUsage(this.#options.inputTokens, 0));
    this.#frame({ type: "message_start", message });
    this.#frame({ type: "ping" });
  }

  #frame(event: Parameters<typeof toFrame>[0]): void {
    writeFrame(this.#out, toFrame(event));
  }
}
