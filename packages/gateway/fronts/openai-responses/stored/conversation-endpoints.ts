import { z } from "zod";
import type { Endpoint } from "../../dialect.js";
import type { AddressedRequest, ReplyStore } from "../../front.js";
import { parameter } from "../../openapi/index.js";
import { invalidField } from "../../parts/query.js";
import { readBody } from "../../parts/request-problem.js";
import { Item } from "../item-schema.js";
import { ConversationItem, ConversationObject, DeletedConversation, ItemList } from "../openapi.js";
import { listParameters, toList, toPage } from "./endpoints.js";
import { resolveItems, toNewItems } from "./input-items.js";
import { itemNotFound, StoredConversations } from "./stored-conversations.js";
import { type StoredItem, StoredResponses } from "./stored-responses.js";

// OpenAI's limits.
const MAX_PAIRS = 16;
const MAX_KEY = 64;
const MAX_VALUE = 512;

const Metadata = z
  .record(z.string(), z.string().max(MAX_VALUE, `must have at most ${MAX_VALUE} characters`))
  .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, `must have at most ${MAX_PAIRS} keys`)
  .refine(
    (pairs) => Object.keys(pairs).every(({ length }) => length <= MAX_KEY),
    `must have keys of at most ${MAX_KEY} characters`,
  );
/** Without OpenAI's limit of 20: the session of OpenAI's Agents SDK adds all items of a turn at once. */
const items = z.array(z.looseObject({}));
const NewConversation = z.looseObject({ items: items.nullish(), metadata: Metadata.nullish() });
const ChangedConversation = z.looseObject({ metadata: Metadata.nullable() });
const NewItems = z.looseObject({ items });
const CheckedItems = z.object({ items: z.array(Item) });

const PATH = "/v1/conversations";
const ONE = `${PATH}/:id`;
const ITEMS = `${ONE}/items`;
const conversationId = parameter("path", "id", "The id of a conversation.");
const itemId = parameter("path", "item_id", "The id of an item of the conversation.");

export const conversationEndpoints: readonly Endpoint[] = [
  {
    method: "POST",
    path: PATH,
    description: {
      operationId: "createConversation",
      summary: "Creates a conversation, with its first items.",
      request: { NewConversation },
      isRequestOptional: true,
      replies: { Conversation: ConversationObject },
    },
    answer({ body = {}, store, newId, nowMs }) {
      const asked = readBody(NewConversation, body);
      const added = readItems(asked.items ?? [], store, newId);
      const conversation = {
        id: `conv_${newId}`,
        object: "conversation" as const,
        created_at: Math.floor(nowMs / 1000),
        metadata: asked.metadata ?? {},
      };
      const stored = new StoredConversations(store);
      stored.put(conversation);
      return { body: conversation, work: stored.append(conversation.id, added, newId) };
    },
  },
  {
    method: "GET",
    path: ONE,
    description: {
      operationId: "getConversation",
      summary: "Returns a conversation, without its items.",
      parameters: [conversationId],
      replies: { Conversation: ConversationObject },
    },
    answer: (request) => ({ body: conversations(request).get(request.param("id")) }),
  },
  {
    method: "POST",
    path: ONE,
    description: {
      operationId: "updateConversation",
      summary: "Replaces the metadata of a conversation.",
      parameters: [conversationId],
      request: { ChangedConversation },
      replies: { Conversation: ConversationObject },
    },
    answer(request) {
      const conversation = conversations(request).get(request.param("id"));
      const changed = { ...conversation, metadata: readBody(ChangedConversation, request.body).metadata ?? {} };
      conversations(request).put(changed);
      return { body: changed };
    },
  },
  {
    method: "DELETE",
    path: ONE,
    description: {
      operationId: "deleteConversation",
      summary: "Deletes a conversation with its items.",
      parameters: [conversationId],
      replies: { DeletedConversation },
    },
    answer(request) {
      const id = request.param("id");
      conversations(request).delete(id);
      return { body: { id, object: "conversation.deleted", deleted: true } };
    },
  },
  {
    method: "POST",
    path: ITEMS,
    description: {
      operationId: "createConversationItems",
      summary: "Adds items to the end of a conversation.",
      parameters: [conversationId],
      request: { NewItems },
      replies: { ItemList },
    },
    answer(request) {
      const { body, store, newId } = request;
      const id = request.param("id");
      const stored = conversations(request);
      const added = readItems(readBody(NewItems, body).items, store, newId);
      stored.requireRoom(id, added.length, JSON.stringify(added).length);
      return { body: toList(added), work: stored.append(id, added, newId) };
    },
  },
  {
    method: "GET",
    path: ITEMS,
    description: {
      operationId: "listConversationItems",
      summary: "Lists the items of a conversation.",
      parameters: [conversationId, ...listParameters],
      replies: { ItemList },
    },
    answer: (request) => ({ body: toPage(conversations(request).items(request.param("id")), request.query) }),
  },
  {
    method: "GET",
    path: `${ITEMS}/:item_id`,
    description: {
      operationId: "getConversationItem",
      summary: "Returns an item of a conversation.",
      parameters: [conversationId, itemId],
      replies: { ConversationItem },
    },
    answer(request) {
      const [id, wanted] = [request.param("id"), request.param("item_id")];
      const found = conversations(request)
        .items(id)
        .find((item) => item.id === wanted);
      if (found === undefined) throw itemNotFound(id, wanted);
      return { body: found };
    },
  },
  {
    method: "DELETE",
    path: `${ITEMS}/:item_id`,
    description: {
      operationId: "deleteConversationItem",
      summary: "Deletes an item of a conversation, and returns the conversation.",
      parameters: [conversationId, itemId],
      replies: { Conversation: ConversationObject },
    },
    answer: (request) => ({ body: conversations(request).deleteItem(request.param("id"), request.param("item_id")) }),
  },
];

function conversations({ store }: AddressedRequest): StoredConversations {
  return new StoredConversations(store);
}

/** The items of a body, as they are stored. @throws {GatewayError} `invalid_request`, with the path of the first bad field. */
function readItems(given: EndpointItems, store: ReplyStore, newId: string): StoredItem[] {
  readBody(CheckedItems, { items: given });
  const { items: resolved, missing } = resolveItems(given, new StoredResponses(store));
  if (missing > 0) throw invalidField("items", `${missing} items that it refers to are not stored here`);
  return toNewItems(resolved, newId);
}

type EndpointItems = z.infer<typeof items>;
