import type { EventWriter } from "./event-writer.js";
import type { ItemStatus, OutputItem } from "./output-item.js";

/** One item of a streamed response while it is written. */
export interface StreamedItem {
  /** The events that begin it. */
  open(): string;
  push(delta: string): string;
  /** The events that end it, and the item as it stands then. */
  close(status: Exclude<ItemStatus, "in_progress">): { frames: string; item: OutputItem };
}

/** Where in which response. */
export interface ItemPlace {
  readonly events: EventWriter;
  readonly replyId: string;
  readonly index: number;
}
