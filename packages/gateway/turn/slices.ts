import type { Message, SentMessage } from "./turn.js";

/** The work of one slice: reading, hashing or encoding this much takes a few milliseconds. */
const SLICE_CHARACTERS = 256 * 1024;
const SLICE_MESSAGES = 200;

/** The minimum work of a message, however short it is. */
const MIN_CHARACTERS = Math.floor(SLICE_CHARACTERS / SLICE_MESSAGES);

/** Work that yields where others should run before it continues. Short work is done at the first step. */
export type SlicedWork<Result> = Generator<undefined, Result, undefined>;

/** Decides where the work on a long conversation is cut, so that no request blocks the others. */
export class Slices {
  #characters = 0;

  /** Adds work on a message. Returns true when others should run before it, because it does not fit into this slice. */
  isFullBefore(message: Message | SentMessage): boolean {
    return this.isFullBeforeText(charactersIn(message));
  }

  isFullBeforeText(length: number): boolean {
    const characters = Math.max(MIN_CHARACTERS, length);
    const isFull = this.#characters > 0 && this.#characters + characters > SLICE_CHARACTERS;
    this.#characters = isFull ? characters : this.#characters + characters;
    return isFull;
  }
}

/** Whether a body of this size is more than one slice of work. */
export function isLongBody(bytes: number): boolean {
  return bytes > SLICE_CHARACTERS;
}

/** Whether these messages are more than one slice of work. */
export function isLong(messages: readonly Message[]): boolean {
  const slices = new Slices();
  return messages.some((message) => slices.isFullBefore(message));
}

function charactersIn(message: Message | SentMessage): number {
  let characters = 0;
  if (message.role === "tool") {
    for (const { content } of message.results) for (const block of content) characters += lengthOf(block);
  } else for (const block of message.content) characters += lengthOf(block);
  return characters;
}

type Block = Exclude<Message, { role: "tool" }>["content"][number];

function lengthOf(block: Block): number {
  switch (block.type) {
    case "text":
    case "thinking":
      return block.text.length;
    case "call":
      return block.input.length;
    case "image":
    case "pdf":
      return block.data.length;
    case "remote-image":
    case "remote-pdf":
      return 0;
  }
}
