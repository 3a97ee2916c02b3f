import type { EventWriter } from "./event-writer.js";
import { type ItemStatus, type ItemType, type OutputItem, toItemId } from "./output-item.js";

/** The response that an item belongs to, and its index there. */
export interface ItemPosition {
  readonly events: EventWriter;
  readonly replyId: string;
  readonly index: number;
}

/** One item of a streamed response while it is written. */
export abstract class StreamedItem {
  protected readonly events: EventWriter;
  protected readonly id: string;
  protected readonly position: { readonly item_id: string; readonly output_index: number };

  constructor(type: ItemType, { events, replyId, index }: ItemPosition) {
    this.events = events;
    this.id = toItemId(type, replyId, index);
    this.position = { item_id: this.id, output_index: index };
  }

  /** Writes the events that begin the item. */
  abstract open(): void;
  abstract push(delta: string): void;
  /** Writes the events that end the item, and returns the finished item. */
  abstract close(status: Exclude<ItemStatus, "in_progress">): OutputItem;

  protected write(event: "added" | "done", item: OutputItem): void {
    this.events.write(`response.output_item.${event}`, { output_index: this.position.output_index, item });
  }
}
