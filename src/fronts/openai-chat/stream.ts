import type { Batch, FinishReason, TurnEvent, Usage } from "../../turn/event.js";
import { type FrameWriter, writeFrame } from "../frame.js";
import type { ReplyHead, StreamEncoder } from "../front.js";
import { readCustomInput } from "../parts/custom-tool.js";
import { toChatUsage } from "../parts/usage.js";
import type { ChatOptions } from "./parse.js";
import { finishReasons } from "./reply.js";

/** Encodes batches as `chat.completion.chunk` events. All but the text of a chunk is written once per reply. */
export class ChatStreamEncoder implements StreamEncoder<void> {
  readonly #out: FrameWriter;
  readonly #includeUsage: boolean;
  /** The chunk up to the object `delta`, and from its end on. */
  readonly #beforeDelta: string;
  readonly #afterDelta: string;
  readonly #beforeText: string;
  readonly #beforeThinking: string;
  readonly #afterText: string;
  /** The chunk up to the array `choices`. */
  readonly #head: string;
  readonly #calls: CallDeltas;
  #usage: Usage | undefined;
  #turnUsage: Usage | undefined;
  #hasBegun = false;
  #hasFinished = false;

  constructor({ includeUsage, customTools }: ChatOptions, { id, createdMs, model }: ReplyHead, out: FrameWriter) {
    this.#out = out;
    this.#includeUsage = includeUsage;
    this.#calls = new CallDeltas(customTools);
    const created = Math.floor(createdMs / 1000);
    this.#head = `${out.before()}{"id":${JSON.stringify(`chatcmpl-${id}`)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)},"choices":`;
    this.#beforeDelta = `${this.#head}[{"index":0,"delta":`;
    this.#afterDelta = `,"logprobs":null,"finish_reason":null}]${this.#usageField()}}${out.after}`;
    this.#beforeText = `${this.#beforeDelta}{"content":`;
    this.#beforeThinking = `${this.#beforeDelta}{"reasoning_content":`;
    this.#afterText = `}${this.#afterDelta}`;
  }

  push(batch: Batch): void {
    this.#begin();
    for (const event of batch) this.#write(event);
  }

  end(): void {
    this.#begin();
    // Without a finish reason, clients ask again, some of them endlessly.
    if (!this.#hasFinished) this.#finish(this.#calls.count > 0 ? "tool-calls" : "stop");
    if (this.#includeUsage && this.#usage !== undefined) {
      const usage = JSON.stringify(toChatUsage(this.#usage, this.#turnUsage));
      this.#out.write(`${this.#head}[],"usage":${usage}}${this.#out.after}`);
    }
    // Whole replies have this in a header. A stream knows it only now, and clients skip comments.
    if (this.#usage?.estimated === true) this.#out.comment("x-curlew-usage: estimated");
    writeFrame(this.#out, { data: "[DONE]" });
  }

  #write(event: TurnEvent): void {
    switch (event.type) {
      case "text":
        this.#out.write(this.#beforeText + JSON.stringify(event.delta) + this.#afterText);
        break;
      case "thinking":
        if (event.delta !== "") this.#out.write(this.#beforeThinking + JSON.stringify(event.delta) + this.#afterText);
        break;
      case "call":
        if (event.runs === "client") this.#delta(this.#calls.begin(event.id, event.name));
        break;
      case "call-input":
        this.#delta(this.#calls.input(event.id, event.delta));
        break;
      case "call-end":
        this.#delta(this.#calls.end(event.id));
        break;
      case "usage":
        this.#usage = event.usage;
        this.#turnUsage = event.turn;
        break;
      case "finish":
        this.#finish(event.reason);
        break;
      case "call-result":
      case "checkpoint":
        break;
    }
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#delta('{"role":"assistant","content":""}');
  }

  #finish(reason: FinishReason): void {
    this.#hasFinished = true;
    const end = `,"logprobs":null,"finish_reason":"${finishReasons[reason]}"}]${this.#usageField()}}`;
    this.#out.write(`${this.#beforeDelta}{}${end}${this.#out.after}`);
  }

  #delta(json: string): void {
    if (json !== "") this.#out.write(this.#beforeDelta + json + this.#afterDelta);
  }

  /** A client that wants usage gets the field in every chunk, null in all but the last. */
  #usageField(): string {
    return this.#includeUsage ? ',"usage":null' : "";
  }
}

interface OpenCall {
  readonly index: number;
  readonly name: string;
  readonly isCustom: boolean;
  hasInput: boolean;
  /** The arguments of a custom tool so far. */
  held: string;
}

/** The calls that the client sees, each step as the value of a delta, or "" if there is nothing to send. */
class CallDeltas {
  readonly #customTools: ReadonlySet<string>;
  readonly #calls = new Map<string, OpenCall>();

  constructor(customTools: ReadonlySet<string>) {
    this.#customTools = customTools;
  }

  get count(): number {
    return this.#calls.size;
  }

  begin(id: string, name: string): string {
    const index = this.#calls.size;
    const isCustom = this.#customTools.has(name);
    this.#calls.set(id, { index, name, isCustom, hasInput: false, held: "" });
    return isCustom ? "" : toolCalls({ index, id, type: "function", function: { name, arguments: "" } });
  }

  input(id: string, delta: string): string {
    const call = this.#calls.get(id);
    if (call === undefined || delta === "") return "";
    call.hasInput = true;
    if (call.isCustom) call.held += delta;
    return call.isCustom ? "" : toolCalls({ index: call.index, function: { arguments: delta } });
  }

  /** The text of a custom tool is known when its JSON is complete, so the call is sent as a whole then. */
  end(id: string): string {
    const call = this.#calls.get(id);
    if (call === undefined) return "";
    const { index, name } = call;
    if (call.isCustom) {
      return toolCalls({ index, id, type: "custom", custom: { name, input: readCustomInput(call.held) } });
    }
    // Clients parse the arguments that they collected, and an empty string is not JSON.
    return call.hasInput ? "" : toolCalls({ index, function: { arguments: "{}" } });
  }
}

function toolCalls(call: object): string {
  return `{"tool_calls":[${JSON.stringify(call)}]}`;
}
