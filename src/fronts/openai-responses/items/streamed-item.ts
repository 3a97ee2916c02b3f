import type { EventWriter } from "./event-writer.js";
import { type ItemStatus, type ItemType, type OutputItem, toItemId } from "./output-item.js";

/** Where in which response. */
export interface ItemPosition {
  readonly events: EventWriter;
  readonly replyId: string;
  readonly index: number;
}

/** One item of a streamed response while it is written. */
export abstract class StreamedItem {
  protected readonly events: EventWriter;
  protected readonly id: string;
  protected readonly place: { readonly item_id: string; readonly output_index: number };

  constructor(type: ItemType, { events, replyId, index }: ItemPosition) {
    this.events = events;
    this.id = toItemId(type, replyId, index);
    this.place = { item_id: this.id, output_index: index };
  }

  /** Writes the events that begin it. */
  abstract open(): void;
  abstract push(delta: string): void;
  /** Writes the events that end it, and gives the item as it stands then. */
  abstract close(status: Exclude<ItemStatus, "in_progress">): OutputItem;

  protected write(event: "added" | "done", item: OutputItem): void {
    this.events.write(`response.output_item.${event}`, { output_index: this.place.output_index, item });
  }
}
