import { GatewayError } from "../../../turn/error.js";
import type { Endpoint } from "../../dialect.js";
import type { ClientRequest } from "../../front.js";
import { cancelResponse, deleteResponse, getResponse, listInputItems } from "../openapi.js";
import { parsePaging, toPage } from "./item-page.js";
import { StoredResponses } from "./stored-responses.js";

const PATH = "/v1/responses/:id";

/** What clients may do with stored responses. */
export const storedEndpoints: readonly Endpoint[] = [
  {
    method: "GET",
    path: PATH,
    description: getResponse,
    answer(request) {
      if (request.query("stream") === "true") {
        throw new GatewayError("unsupported_parameter", "stream: a stored response comes whole; leave this out.", {
          param: "stream",
        });
      }
      return { body: find(request).response };
    },
  },
  {
    method: "DELETE",
    path: PATH,
    description: deleteResponse,
    answer(request) {
      const id = request.param("id");
      if (!new StoredResponses(request.store).delete(id)) throw notFound(id);
      return { body: { id, object: "response", deleted: true } };
    },
  },
  {
    method: "GET",
    path: `${PATH}/input_items`,
    description: listInputItems,
    answer(request) {
      const paging = parsePaging((name) => request.query(name));
      return { body: toPage(find(request).input, paging) };
    },
  },
  {
    // Nothing is made in the background here, and nothing else can be cancelled by its id: OpenAI refuses it in the same way.
    method: "POST",
    path: `${PATH}/cancel`,
    description: cancelResponse,
    answer(request) {
      find(request);
      throw new GatewayError(
        "invalid_request",
        "Only a response that is made in the background can be cancelled, and this one was not. Close the connection to stop a response that is under way.",
      );
    },
  },
];

function find(request: ClientRequest) {
  const id = request.param("id");
  const found = new StoredResponses(request.store).get(id);
  if (found === undefined) throw notFound(id);
  return found;
}

function notFound(id: string): GatewayError {
  return new GatewayError(
    "response_not_found",
    `Response with id '${id.slice(0, 100)}' not found. It was not stored (store: false), was deleted, or is too old.`,
  );
}
