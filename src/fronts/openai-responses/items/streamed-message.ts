import { toMessage, toTextPart } from "./output-item.js";
import { type ItemPosition, StreamedItem } from "./streamed-item.js";

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
