import { z } from "zod";
import { GatewayError } from "../../../turn/error.js";
import { MAX_MESSAGES } from "../../../turn/request-limits.js";
import type { ReplyStore } from "../../front.js";
import { deleteLongText, getLongText, putLongText } from "./long-text.js";
import { MAX_CHARACTERS, MAX_MIB, StoredItem, toJson } from "./stored-responses.js";

const Conversation = z.object({
  id: z.string(),
  object: z.literal("conversation"),
  created_at: z.int(),
  metadata: z.record(z.string(), z.string()),
});
const Head = z.object({
  conversation: Conversation,
  /** The texts that hold the items, oldest first. */
  parts: z.array(z.object({ id: z.string(), items: z.int(), characters: z.int() })),
});

export type Conversation = z.infer<typeof Conversation>;
type Head = z.infer<typeof Head>;

/** A part below this size is rewritten with the items that follow, so that a conversation has few parts. */
const SMALL_PART_CHARACTERS = 64 * 1024;

/**
 * Conversations of OpenAI's Conversations API. Its items are in parts of their own, so that a turn does not rewrite what was said
 * before. The parts are kept beside the conversation: it is as old as its newest turn, and is dropped whole.
 */
export class StoredConversations {
  readonly #store: ReplyStore;

  constructor(store: ReplyStore) {
    this.#store = store;
  }

  /** @throws {GatewayError} `conversation_not_found`. */
  get(id: string): Conversation {
    return this.#find(id).conversation;
  }

  /** Creates a conversation, or replaces its metadata. */
  put(conversation: Conversation): void {
    this.#write({ conversation, parts: this.#read(conversation.id)?.parts ?? [] });
  }

  /** All items, oldest first. @throws {GatewayError} `conversation_not_found`. */
  items(id: string): StoredItem[] {
    return this.#find(id).parts.flatMap((part) => this.#itemsOf(id, part.id));
  }

  /** @throws {GatewayError} `invalid_request`, if the conversation has no room for these items; or `conversation_not_found`. */
  requireRoom(id: string, items: number, characters: number): void {
    const { parts } = this.#find(id);
    const sum = (count: "items" | "characters") => parts.reduce((total, part) => total + part[count], 0);
    if (sum("items") + items <= MAX_MESSAGES && sum("characters") + characters <= MAX_CHARACTERS) return;
    const text =
      `The conversation is full: it can have ${MAX_MESSAGES} items and ${MAX_MIB}. ` +
      "Create a new one, with a summary of this one as its first item.";
    throw new GatewayError("invalid_request", text, { param: "conversation" });
  }

  /** No-op if there is no such conversation any more. The name differs for each call. */
  *append(id: string, items: readonly StoredItem[], name: string): Generator<undefined, undefined> {
    if (items.length === 0) return;
    const lines = yield* toJson(items);
    const characters = lines.reduce((sum, { length }) => sum + length, 0);
    const last = this.#read(id)?.parts.at(-1);
    const before = last && last.characters + characters < SMALL_PART_CHARACTERS ? this.#linesOf(last.id) : undefined;
    yield* last && before
      ? this.#putPart(id, last.id, [...before, ...lines])
      : this.#putPart(id, `${id} ${name}`, lines);
  }

  /** Returns the conversation without the item. @throws {GatewayError} `conversation_not_found` or `item_not_found`. */
  deleteItem(id: string, itemId: string): Conversation {
    const { conversation, parts } = this.#find(id);
    for (const part of parts) {
      const items = this.#itemsOf(id, part.id);
      const rest = items.filter((item) => item.id !== itemId);
      if (rest.length === items.length) continue;
      deleteLongText(this.#store.lasting, part.id);
      // Without a pause: a reader must not find the conversation while the part is missing.
      const lines = rest.map((item) => JSON.stringify(item));
      const steps = this.#putPart(id, part.id, lines);
      while (steps.next().done === false);
      return conversation;
    }
    throw itemNotFound(id, itemId);
  }

  /** @throws {GatewayError} `conversation_not_found`. */
  delete(id: string): void {
    for (const part of this.#find(id).parts) deleteLongText(this.#store.lasting, part.id);
    this.#store.lasting.delete(id);
  }

  *#putPart(id: string, partId: string, lines: readonly string[]): Generator<undefined, undefined> {
    if (this.#read(id) === undefined) return;
    const text = lines.join("\n");
    yield* putLongText(this.#store.lasting, partId, text, id);
    // The conversation may have been changed or deleted while a long part was written.
    const head = this.#read(id);
    if (head === undefined) {
      deleteLongText(this.#store.lasting, partId);
      return;
    }
    const part = { id: partId, items: lines.length, characters: text.length };
    const isNew = head.parts.every((each) => each.id !== partId);
    const parts = isNew ? [...head.parts, part] : head.parts.map((each) => (each.id === partId ? part : each));
    this.#write({ ...head, parts });
  }

  #itemsOf(id: string, partId: string): StoredItem[] {
    const lines = this.#linesOf(partId);
    if (lines === undefined) throw conversationNotFound(id);
    return lines.map((line) => StoredItem.parse(JSON.parse(line)));
  }

  /** Undefined if the store had no room for the part. */
  #linesOf(partId: string): string[] | undefined {
    const text = getLongText(this.#store.lasting, partId);
    return text === "" ? [] : text?.split("\n");
  }

  #find(id: string): Head {
    const head = this.#read(id);
    if (head === undefined) throw conversationNotFound(id);
    return head;
  }

  #read(id: string): Head | undefined {
    const text = /^conv_\w{1,100}$/.test(id) ? this.#store.lasting.get(id) : undefined;
    return text === undefined ? undefined : Head.parse(JSON.parse(text));
  }

  #write(head: Head): void {
    const { id } = head.conversation;
    this.#store.lasting.put(id, JSON.stringify(head), id);
  }
}

function conversationNotFound(id: string): GatewayError {
  const text = `Conversation with id '${id.slice(0, 100)}' not found. It was deleted, is too old, or belongs to another key or account.`;
  return new GatewayError("conversation_not_found", `${text} Create a new one with POST /v1/conversations.`);
}

export function itemNotFound(id: string, itemId: string): GatewayError {
  const text = `Item with id '${itemId.slice(0, 100)}' not found in conversation '${id.slice(0, 100)}'.`;
  return new GatewayError("item_not_found", `${text} GET /v1/conversations/{id}/items lists its items.`);
}
