import type { TurnEvent } from "../../turn/event.js";
import type { FrameWriter } from "../frame.js";
import type { ReplyHead } from "../front.js";
import { ChunkEncoder } from "../parts/chunk-encoder.js";
import { readCustomInput } from "../parts/custom-tool.js";
import type { ChatOptions } from "./parse.js";
import { finishReasons, oldFinishReasons } from "./reply.js";

export class ChatStreamEncoder extends ChunkEncoder {
  readonly #beforeText: string;
  readonly #beforeThinking: string;
  readonly #afterText: string;
  readonly #calls: CallDeltas;

  constructor(options: ChatOptions, { id, createdMs, model }: ReplyHead, out: FrameWriter) {
    const created = Math.floor(createdMs / 1000);
    const head = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created, model };
    const { includeUsage, usesFunctions } = options;
    const reasons = usesFunctions ? oldFinishReasons : finishReasons;
    super({ head, field: "delta", nothing: "{}", finishReasons: reasons, includeUsage }, out);
    this.#calls = new CallDeltas(options);
    this.#beforeText = `${this.before}{"content":`;
    this.#beforeThinking = `${this.before}{"reasoning_content":`;
    this.#afterText = `}${this.after}`;
  }

  protected get hasCalled(): boolean {
    return this.#calls.count > 0;
  }

  protected begin(): void {
    this.#delta('{"role":"assistant","content":""}');
  }

  protected encode(event: Exclude<TurnEvent, { type: "usage" | "finish" }>): void {
    switch (event.type) {
      case "text":
        this.out.write(this.#beforeText + JSON.stringify(event.delta) + this.#afterText);
        break;
      case "thinking":
        if (event.delta !== "") this.out.write(this.#beforeThinking + JSON.stringify(event.delta) + this.#afterText);
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
      case "call-result":
      case "checkpoint":
        break;
    }
  }

  #delta(json: string): void {
    if (json !== "") this.out.write(this.before + json + this.after);
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

/** The calls that the client sees, each step as the value of a delta, or "" to send nothing. */
class CallDeltas {
  readonly #customTools: ReadonlySet<string>;
  readonly #usesFunctions: boolean;
  readonly #calls = new Map<string, OpenCall>();

  constructor({ customTools, usesFunctions }: ChatOptions) {
    this.#customTools = customTools;
    this.#usesFunctions = usesFunctions;
  }

  get count(): number {
    return this.#calls.size;
  }

  begin(id: string, name: string): string {
    const index = this.#calls.size;
    const isCustom = this.#customTools.has(name);
    this.#calls.set(id, { index, name, isCustom, hasInput: false, held: "" });
    return isCustom ? "" : this.#function({ index, id, type: "function" }, { name, arguments: "" });
  }

  input(id: string, delta: string): string {
    const call = this.#calls.get(id);
    if (call === undefined || delta === "") return "";
    call.hasInput = true;
    if (call.isCustom) call.held += delta;
    return call.isCustom ? "" : this.#function({ index: call.index }, { arguments: delta });
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
    return call.hasInput ? "" : this.#function({ index }, { arguments: "{}" });
  }

  #function(call: object, called: object): string {
    return this.#usesFunctions ? JSON.stringify({ function_call: called }) : toolCalls({ ...call, function: called });
  }
}

function toolCalls(call: object): string {
  return `{"tool_calls":[${JSON.stringify(call)}]}`;
}
