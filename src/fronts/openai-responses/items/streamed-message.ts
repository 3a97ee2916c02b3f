import type { EventWriter } from "./event-writer.js";
import { toItemId, toMessage, toTextPart } from "./output-item.js";
import type { ItemPlace, StreamedItem } from "./streamed-item.js";

export class StreamedMessage implements StreamedItem {
  readonly #events: EventWriter;
  readonly #id: string;
  readonly #index: number;
  readonly #place: { item_id: string; output_index: number; content_index: number };
  readonly #delta: (delta: string) => void;
  #text = "";

  constructor({ events, replyId, index }: ItemPlace) {
    this.#events = events;
    this.#id = toItemId("message", replyId, index);
    this.#index = index;
    this.#place = { item_id: this.#id, output_index: index, content_index: 0 };
    this.#delta = events.prepare("response.output_text.delta", { ...this.#place, logprobs: [] });
  }

  open(): void {
    const item = toMessage(this.#id, undefined, "in_progress");
    this.#events.write("response.output_item.added", { output_index: this.#index, item });
    this.#events.write("response.content_part.added", { ...this.#place, part: toTextPart("") });
  }

  push(delta: string): void {
    this.#text += delta;
    this.#delta(delta);
  }

  close(status: "completed" | "incomplete") {
    const text = this.#text;
    const item = toMessage(this.#id, text, status);
    this.#events.write("response.output_text.done", { ...this.#place, text, logprobs: [] });
    this.#events.write("response.content_part.done", { ...this.#place, part: toTextPart(text) });
    this.#events.write("response.output_item.done", { output_index: this.#index, item });
    return item;
  }
}
