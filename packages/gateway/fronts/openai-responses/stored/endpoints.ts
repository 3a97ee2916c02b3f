import { GatewayError } from "../../../turn/error.js";
import type { BackgroundFrames, Endpoint } from "../../dialect.js";
import type { AddressedRequest } from "../../front.js";
import { parameter, type RouteDescription } from "../../openapi/index.js";
import { invalidField, type Query, readCount } from "../../parts/query.js";
import { DeletedResponse, ItemList, OpenAiResponse } from "../openapi.js";
import { type StoredItem, StoredResponses } from "./stored-responses.js";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** A page of a list. @throws {GatewayError} `invalid_request`, if limit or order is invalid, or `after` names no item. */
export function toPage(items: readonly StoredItem[], query: Query) {
  const limit = readCount(query, "limit", DEFAULT_LIMIT, MAX_LIMIT);
  const order = query("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw invalidField("order", "must be asc or desc");
  const after = query("after");
  const all = order === "asc" ? items : items.toReversed();
  const first = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && first === 0) throw invalidField("after", "must be the id of an item of this list");
  return toList(all.slice(first, first + limit), first + limit < all.length);
}

export function toList(data: readonly StoredItem[], has_more = false) {
  return { object: "list", data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more };
}

export const listParameters: NonNullable<RouteDescription["parameters"]> = [
  parameter("query", "limit", "How many items a page holds, 1 to 100.", { type: "integer" }),
  parameter("query", "after", "The page begins after this item."),
  parameter("query", "order", "asc, or desc (the default)."),
];

const PATH = "/v1/responses/:id";
const NOT_IN_BACKGROUND =
  "Only a response that is made in the background can be cancelled, and this one was not. Close the connection to stop a response that is under way.";
const responseId = parameter("path", "id", "The id of a response that was stored.");

export const storedEndpoints: readonly Endpoint[] = [
  {
    method: "GET",
    path: PATH,
    description: {
      operationId: "getResponse",
      summary: "Returns a stored response, or the events of a background response.",
      parameters: [
        responseId,
        parameter("query", "stream", "true for the events of the response."),
        parameter("query", "starting_after", "The sequence_number of the last event that the client has.", {
          type: "integer",
        }),
      ],
      replies: { OpenAiResponse },
      canStream: true,
    },
    answer: (request) => ({ body: find(request).response }),
    frames: (request) => (request.query("stream") === "true" ? findFrames(request) : undefined),
  },
  {
    method: "DELETE",
    path: PATH,
    description: {
      operationId: "deleteResponse",
      summary: "Deletes a stored response.",
      parameters: [responseId],
      replies: { DeletedResponse },
    },
    answer(request) {
      const id = request.param("id");
      request.store.background?.(id)?.cancel();
      if (!new StoredResponses(request.store).delete(id)) throw notFound(id);
      return { body: { id, object: "response", deleted: true } };
    },
  },
  {
    method: "GET",
    path: `${PATH}/input_items`,
    description: {
      operationId: "listInputItems",
      summary: "Lists the input items of a stored response.",
      parameters: [responseId, ...listParameters],
      replies: { ItemList },
    },
    answer: (request) => ({ body: toPage(find(request).input, request.query) }),
  },
  {
    method: "POST",
    path: `${PATH}/cancel`,
    description: {
      operationId: "cancelResponse",
      summary: "Ends a background response. One that has ended is returned as it is.",
      parameters: [responseId],
      replies: { OpenAiResponse },
    },
    answer(request) {
      if (find(request).response.background !== true) throw new GatewayError("invalid_request", NOT_IN_BACKGROUND);
      request.store.background?.(request.param("id"))?.cancel();
      return { body: find(request).response };
    },
  },
];

function findFrames(request: AddressedRequest): BackgroundFrames {
  const { id, background } = find(request).response;
  const last = request.query("starting_after");
  if (last !== undefined && !/^\d{1,9}$/.test(last)) {
    throw invalidField("starting_after", "must be the sequence_number of an event, a whole number from 0 on");
  }
  if (background !== true) throw notStreamed("it was not made in the background");
  if (request.store.background?.(id)?.isReadable !== true) {
    throw notStreamed("they stay in memory for ten minutes after its end, up to a limit in size");
  }
  return { id, skipped: last === undefined ? 0 : Number(last) + 1 };
}

function find(request: AddressedRequest) {
  const id = request.param("id");
  const found = new StoredResponses(request.store).get(id);
  if (found === undefined) throw notFound(id);
  return found;
}

function notStreamed(why: string): GatewayError {
  return invalidField("stream", `the events of this response are unavailable: ${why}. Leave this out to get it whole`);
}

function notFound(id: string): GatewayError {
  return new GatewayError(
    "response_not_found",
    `Response with id '${id.slice(0, 100)}' not found. It was not stored (store: false), was deleted, or is too old.`,
  );
}
