import { estimatedUsage } from "../../turn/estimate.js";
import type { Batch, TurnEvent, UsageEvent } from "../../turn/event.js";
import { type FrameWriter, writeFrame } from "../frame.js";
import type { ReplyHead, StreamEncoder } from "../front.js";
import {
  type MessagesOptions,
  notStopped,
  OWN_SIGNATURE,
  toDeltaUsage,
  toFrame,
  toMessage,
  toStop,
  toTextBlock,
  toToolUse,
} from "./message.js";

type Finish = Extract<TurnEvent, { type: "finish" }>;
type Speech = Extract<TurnEvent, { type: "text" | "thinking" }>;

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
  #counted: UsageEvent | undefined;
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
    const usage = this.#counted?.usage ?? estimatedUsage(this.#options.inputTokens, this.#characters);
    // Whole replies have this in a header. A stream knows it only now, and clients skip comments.
    if (usage.estimated) this.#out.comment("x-curlew-usage: estimated");
    // Without a stop reason, clients retry, some of them endlessly.
    const reason = this.#finish?.reason ?? (this.#hasCalls ? "tool-calls" : "stop");
    const delta = { ...toStop(reason, this.#finish?.stopSequence), container: null };
    const counts = toDeltaUsage(usage, this.#counted?.turn);
    this.#frame({ type: "message_delta", delta, usage: counts, context_management: null });
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
        this.#counted = event;
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

type Kind = "text" | "thinking" | "call";

const deltas: Readonly<Record<Kind, string>> = {
  text: '{"type":"text_delta","text":',
  thinking: '{"type":"thinking_delta","thinking":',
  call: '{"type":"input_json_delta","partial_json":',
};

/** The numbered blocks of a streamed reply, one open at a time. All but a delta's text is serialised once per block. */
class BlockFrames {
  readonly #out: FrameWriter;
  readonly #afterDelta: string;
  #index = -1;
  #open: Kind | undefined;
  #beforeDelta = "";
  #callId: string | undefined;
  #hasDelta = false;
  #signature: string | undefined;

  constructor(out: FrameWriter) {
    this.#out = out;
    this.#afterDelta = `}}${out.after}`;
  }

  /** The call whose arguments are being streamed. */
  get openCallId(): string | undefined {
    return this.#open === "call" ? this.#callId : undefined;
  }

  openText(): void {
    if (this.#open !== "text") this.#begin("text", toTextBlock(""));
  }

  openThinking(signature: string | undefined): void {
    if (this.#open !== "thinking") this.#begin("thinking", { type: "thinking", thinking: "", signature: "" });
    this.#signature = signature ?? this.#signature;
  }

  openCall(id: string, name: string): void {
    this.#callId = id;
    this.#begin("call", toToolUse(id, name, {}));
  }

  delta(text: string): void {
    if (text === "") return;
    this.#hasDelta = true;
    this.#out.write(this.#beforeDelta + JSON.stringify(text) + this.#afterDelta);
  }

  close(): void {
    if (this.#open === undefined) return;
    // Clients parse the arguments that they collected, and an empty string is not JSON.
    if (this.#open === "call" && !this.#hasDelta) this.delta("{}");
    if (this.#open === "thinking") this.#sign();
    this.#open = undefined;
    writeFrame(this.#out, toFrame({ type: "content_block_stop", index: this.#index }));
  }

  #begin(kind: Kind, content_block: object): void {
    this.close();
    this.#index++;
    this.#open = kind;
    this.#hasDelta = false;
    this.#signature = undefined;
    const before = this.#out.before("content_block_delta");
    this.#beforeDelta = `${before}{"type":"content_block_delta","index":${this.#index},"delta":${deltas[kind]}`;
    writeFrame(this.#out, toFrame({ type: "content_block_start", index: this.#index, content_block }));
  }

  #sign(): void {
    const delta = { type: "signature_delta", signature: this.#signature ?? OWN_SIGNATURE };
    writeFrame(this.#out, toFrame({ type: "content_block_delta", index: this.#index, delta }));
  }
}
