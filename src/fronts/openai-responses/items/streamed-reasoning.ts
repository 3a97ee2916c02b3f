import { toReasoning, toSummaryPart } from "./output-item.js";
import { type ItemPosition, StreamedItem } from "./streamed-item.js";

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
