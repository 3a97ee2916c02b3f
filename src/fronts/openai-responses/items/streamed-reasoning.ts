import type { EventWriter } from "./event-writer.js";
import { toItemId, toReasoning, toSummaryPart } from "./output-item.js";
import type { ItemPlace, StreamedItem } from "./streamed-item.js";

export class StreamedReasoning implements StreamedItem {
  readonly #events: EventWriter;
  readonly #id: string;
  readonly #index: number;
  readonly #isSealed: boolean;
  readonly #place: { item_id: string; output_index: number; summary_index: number };
  readonly #delta: (delta: string) => void;
  #text = "";
  #signature: string | undefined;

  constructor({ events, replyId, index }: ItemPlace, isSealed: boolean) {
    this.#events = events;
    this.#id = toItemId("reasoning", replyId, index);
    this.#index = index;
    this.#isSealed = isSealed;
    this.#place = { item_id: this.#id, output_index: index, summary_index: 0 };
    this.#delta = events.prepare("response.reasoning_summary_text.delta", this.#place);
  }

  open(): void {
    const item = toReasoning(this.#id, { text: "" }, { isSealed: false, status: "in_progress" });
    this.#events.write("response.output_item.added", { output_index: this.#index, item });
  }

  push(delta: string, signature?: string): void {
    this.#signature = signature ?? this.#signature;
    if (delta === "") return;
    if (this.#text === "") {
      const part = toSummaryPart("");
      this.#events.write("response.reasoning_summary_part.added", { ...this.#place, part });
    }
    this.#text += delta;
    this.#delta(delta);
  }

  close(status: "completed" | "incomplete") {
    const text = this.#text;
    const signature = this.#signature;
    const block = { text, ...(signature !== undefined && { signature }) };
    const item = toReasoning(this.#id, block, { isSealed: this.#isSealed, status });
    if (text !== "") {
      this.#events.write("response.reasoning_summary_text.done", { ...this.#place, text });
      this.#events.write("response.reasoning_summary_part.done", { ...this.#place, part: toSummaryPart(text) });
    }
    this.#events.write("response.output_item.done", { output_index: this.#index, item });
    return item;
  }
}
