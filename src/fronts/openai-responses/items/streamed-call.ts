import type { ClientTool } from "../tool-names.js";
import { type ItemStatus, toCall } from "./output-item.js";
import { type ItemPosition, StreamedItem } from "./streamed-item.js";

export class StreamedCall extends StreamedItem {
  readonly #callId: string;
  readonly #tool: ClientTool;
  readonly #delta: (delta: string) => void;
  #input = "";

  constructor(position: ItemPosition, callId: string, tool: ClientTool) {
    super(tool.isCustom ? "custom_tool_call" : "function_call", position);
    this.#callId = callId;
    this.#tool = tool;
    const type = `response.${tool.isCustom ? "custom_tool_call_input" : "function_call_arguments"}.delta`;
    this.#delta = this.events.prepare(type, this.position);
  }

  open(): void {
    this.write("added", this.#item("in_progress"));
  }

  /** The text of a custom tool is known only when its JSON is complete. */
  push(delta: string): void {
    this.#input += delta;
    if (!this.#tool.isCustom && delta !== "") this.#delta(delta);
  }

  close(status: "completed" | "incomplete") {
    const item = this.#item(status);
    if (item.type === "custom_tool_call") {
      const { input } = item;
      this.#delta(input);
      this.events.write("response.custom_tool_call_input.done", { ...this.position, input });
    } else {
      const { name, arguments: json } = item;
      if (this.#input === "") this.#delta(json);
      this.events.write("response.function_call_arguments.done", { ...this.position, name, arguments: json });
    }
    this.write("done", item);
    return item;
  }

  #item(status: ItemStatus) {
    return toCall(this.id, { id: this.#callId, input: this.#input }, this.#tool, status);
  }
}
