import type { ClientTool } from "../tool-names.js";
import type { EventWriter } from "./event-writer.js";
import { type ItemStatus, toCall, toItemId } from "./output-item.js";
import type { ItemPlace, StreamedItem } from "./streamed-item.js";

export class StreamedCall implements StreamedItem {
  readonly #events: EventWriter;
  readonly #id: string;
  readonly #callId: string;
  readonly #tool: ClientTool;
  readonly #index: number;
  readonly #delta: (delta: string) => void;
  #input = "";

  constructor({ events, replyId, index }: ItemPlace, callId: string, tool: ClientTool) {
    this.#events = events;
    this.#id = toItemId(tool.isCustom ? "custom_tool_call" : "function_call", replyId, index);
    this.#callId = callId;
    this.#tool = tool;
    this.#index = index;
    const type = `response.${tool.isCustom ? "custom_tool_call_input" : "function_call_arguments"}.delta`;
    this.#delta = events.prepare(type, { item_id: this.#id, output_index: index });
  }

  open(): void {
    this.#events.write("response.output_item.added", {
      output_index: this.#index,
      item: this.#item("in_progress"),
    });
  }

  /** The text of a custom tool is known only when its JSON is complete. */
  push(delta: string): void {
    this.#input += delta;
    if (!this.#tool.isCustom && delta !== "") this.#delta(delta);
  }

  close(status: "completed" | "incomplete") {
    const item = this.#item(status);
    const place = { item_id: this.#id, output_index: this.#index };
    if (item.type === "custom_tool_call") {
      const { input } = item;
      this.#delta(input);
      this.#events.write("response.custom_tool_call_input.done", { ...place, input });
    } else {
      const { name, arguments: json } = item;
      if (this.#input === "") this.#delta(json);
      this.#events.write("response.function_call_arguments.done", { ...place, name, arguments: json });
    }
    this.#events.write("response.output_item.done", { output_index: this.#index, item });
    return item;
  }

  #item(status: ItemStatus) {
    return toCall(this.#id, { id: this.#callId, input: this.#input }, this.#tool, status);
  }
}
