import type { EventWriter } from "./event-writer.js";
import type { ItemStatus, OutputItem } from "./output-item.js";

/** One item of a streamed response while it is written. */
export interface StreamedItem {
  /** Writes the events that begin it. */
  open(): void;
  push(delta: string): void;
  /** Writes the events that end it, and gives the item as it stands then. */
  close(status: Exclude<ItemStatus, "in_progress">): OutputItem;
}

/** Where in which response. */
export interface ItemPlace {
  readonly events: EventWriter;
  readonly replyId: string;
  readonly index: number;
}
