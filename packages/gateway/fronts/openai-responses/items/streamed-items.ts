import type { FrameWriter } from "../../frame.js";
import type { ClientTool } from "../tools.js";
import {
  type ItemStatus,
  type ItemType,
  type OutputItem,
  toCall,
  toItemId,
  toMessage,
  toReasoning,
  toSummaryPart,
  toTextPart,
} from "./output-item.js";

/** The events of one stream, numbered in the order in which they are written. */
export class EventWriter {
  readonly #out: FrameWriter;
  #sequence = 0;

  constructor(out: FrameWriter) {
    this.#out = out;
  }

  write(type: string, fields: object): void {
    const json = JSON.stringify({ type, ...fields, sequence_number: this.#sequence++ });
    this.#out.write(this.#out.before(type) + json + this.#out.after);
  }

  /** Prepares an event that comes once per delta: everything except the delta and the number is serialised only once. */
  prepare(type: string, fields: object): (delta: string) => void {
    const head = `${this.#out.before(type)}${JSON.stringify({ type, ...fields }).slice(0, -1)},"delta":`;
    const tail = `}${this.#out.after}`;
    return (delta) => this.#out.write(`${head}${JSON.stringify(delta)},"sequence_number":${this.#sequence++}${tail}`);
  }
}

/** The response that an item belongs to, and its index there. */
export interface ItemPosition {
  readonly events: EventWriter;
  readonly replyId: string;
  readonly index: number;
}

export abstract class StreamedItem {
  protected readonly events: EventWriter;
  protected readonly id: string;
  protected readonly position: { readonly item_id: string; readonly output_index: number };

  constructor(type: ItemType, { events, replyId, index }: ItemPosition) {
    this.events = events;
    this.id = toItemId(type, replyId, index);
    this.position = { item_id: this.id, output_index: index };
  }

  abstract open(): void;
  abstract push(delta: string): void;
  abstract close(status: Exclude<ItemStatus, "in_progress">): OutputItem;

  protected write(event: "added" | "done", item: OutputItem): void {
    this.events.write(`response.output_item.${event}`, { output_index: this.position.output_index, item });
  }
}

export class StreamedMessage extends StreamedItem {
  readonly #partPosition: object;
  readonly #delta: (delta: string) => void;
  #text = "";

  constructor(position: ItemPosition) {
    super("message", position);
    this.#partPosition = { ...this.position, content_index: 0 };
    this.#delta = this.events.prepare("response.output_text.delta", { ...this.#partPosition, logprobs: [] });
  }

  open(): void {
    this.write("added", toMessage(this.id, undefined, "in_progress"));
    this.events.write("response.content_part.added", { ...this.#partPosition, part: toTextPart("") });
  }

  push(delta: string): void {
    this.#text += delta;
    this.#delta(delta);
  }

  close(status: "completed" | "incomplete") {
    const text = this.#text;
    const item = toMessage(this.id, text, status);
    this.events.write("response.output_text.done", { ...this.#partPosition, text, logprobs: [] });
    this.events.write("response.content_part.done", { ...this.#partPosition, part: toTextPart(text) });
    this.write("done", item);
    return item;
  }
}

export class StreamedReasoning extends StreamedItem {
  readonly #isSealed: boolean;
  readonly #partPosition: object;
  readonly #delta: (delta: string) => void;
  #text = "";
  #signature: string | undefined;

  constructor(position: ItemPosition, isSealed: boolean) {
    super("reasoning", position);
    this.#isSealed = isSealed;
    this.#partPosition = { ...this.position, summary_index: 0 };
    this.#delta = this.events.prepare("response.reasoning_summary_text.delta", this.#partPosition);
  }

  open(): void {
    this.write("added", toReasoning(this.id, { text: "" }, { isSealed: false, status: "in_progress" }));
  }

  push(delta: string, signature?: string): void {
    this.#signature = signature ?? this.#signature;
    if (delta === "") return;
    if (this.#text === "") {
      this.events.write("response.reasoning_summary_part.added", { ...this.#partPosition, part: toSummaryPart("") });
    }
    this.#text += delta;
    this.#delta(delta);
  }

  close(status: "completed" | "incomplete") {
    const text = this.#text;
    const signature = this.#signature;
    const block = { text, ...(signature !== undefined && { signature }) };
    const item = toReasoning(this.id, block, { isSealed: this.#isSealed, status });
    if (text !== "") {
      this.events.write("response.reasoning_summary_text.done", { ...this.#partPosition, text });
      this.events.write("response.reasoning_summary_part.done", { ...this.#partPosition, part: toSummaryPart(text) });
    }
    this.write("done", item);
    return item;
  }
}

export class StreamedCall extends StreamedItem {
  readonly #callId: string;
  readonly #tool: ClientTool;
  readonly #toId: (type: ItemType) => string;
  /** A call in a shape of OpenAI's is known only when its JSON is complete, so it is written as a whole then. */
  readonly #isHeld: boolean;
  readonly #delta: (delta: string) => void;
  #input = "";

  constructor(place: ItemPosition, callId: string, tool: ClientTool) {
    super(tool.isCustom ? "custom_tool_call" : "function_call", place);
    this.#callId = callId;
    this.#tool = tool;
    this.#toId = (type) => toItemId(type, place.replyId, place.index);
    this.#isHeld = tool.published !== undefined;
    const type = `response.${tool.isCustom ? "custom_tool_call_input" : "function_call_arguments"}.delta`;
    this.#delta = this.events.prepare(type, this.position);
  }

  open(): void {
    if (!this.#isHeld) this.write("added", this.#item("in_progress"));
  }

  /** The text of a custom tool is known only when its JSON is complete. */
  push(delta: string): void {
    this.#input += delta;
    if (!this.#tool.isCustom && !this.#isHeld && delta !== "") this.#delta(delta);
  }

  close(status: "completed" | "incomplete") {
    if (this.#isHeld) this.write("added", this.#item("in_progress"));
    const item = this.#item(status);
    if (item.type === "custom_tool_call") {
      const { input } = item;
      this.#delta(input);
      this.events.write("response.custom_tool_call_input.done", { ...this.position, input });
    } else if (item.type === "function_call") {
      const { name, arguments: json } = item;
      if (this.#input === "" || this.#isHeld) this.#delta(json);
      this.events.write("response.function_call_arguments.done", { ...this.position, name, arguments: json });
    }
    this.write("done", item);
    return item;
  }

  #item(status: ItemStatus) {
    return toCall(this.#toId, { id: this.#callId, input: this.#input }, this.#tool, status);
  }
}
