import { toMessage, toTextPart } from "./output-item.js";
import { type ItemPosition, StreamedItem } from "./streamed-item.js";

export class StreamedMessage extends StreamedItem {
  readonly #partPlace: object;
  readonly #delta: (delta: string) => void;
  #text = "";

  constructor(place: ItemPosition) {
    super("message", place);
    this.#partPlace = { ...this.place, content_index: 0 };
    this.#delta = this.events.prepare("response.output_text.delta", { ...this.#partPlace, logprobs: [] });
  }

  open(): void {
    this.write("added", toMessage(this.id, undefined, "in_progress"));
    this.events.write("response.content_part.added", { ...this.#partPlace, part: toTextPart("") });
  }

  push(delta: string): void {
    this.#text += delta;
    this.#delta(delta);
  }

  close(status: "completed" | "incomplete") {
    const text = this.#text;
    const item = toMessage(this.id, text, status);
    this.events.write("response.output_text.done", { ...this.#partPlace, text, logprobs: [] });
    this.events.write("response.content_part.done", { ...this.#partPlace, part: toTextPart(text) });
    this.write("done", item);
    return item;
  }
}
