import type { Context, Handler } from "hono";
import { GatewayError } from "../../../turn/error.js";
import { heldShelf } from "../../http/held-shelf.js";
import type { RouteDeps } from "../../http/journey.js";
import type { ServerEnv } from "../../http/request-record.js";
import { parsePaging, toPage } from "./item-page.js";
import { StoredResponses } from "./stored-responses.js";

type StoredDeps = Pick<RouteDeps, "gateway" | "caller" | "accountOf" | "memory">;

export function serveStoredResponse(deps: StoredDeps): Handler<ServerEnv> {
  return (c) => {
    if (c.req.query("stream") === "true") {
      throw new GatewayError("unsupported_parameter", "stream: a stored response comes whole; leave this out.", {
        param: "stream",
      });
    }
    const id = idOf(c);
    return Response.json((storedFor(c, deps).get(id) ?? throwNotFound(id)).response);
  };
}

export function deleteStoredResponse(deps: StoredDeps): Handler<ServerEnv> {
  return (c) => {
    const id = idOf(c);
    if (!storedFor(c, deps).delete(id)) throwNotFound(id);
    return Response.json({ id, object: "response", deleted: true });
  };
}

export function serveInputItems(deps: StoredDeps): Handler<ServerEnv> {
  return (c) => {
    const paging = parsePaging((name) => c.req.query(name));
    const id = idOf(c);
    return Response.json(toPage((storedFor(c, deps).get(id) ?? throwNotFound(id)).input, paging));
  };
}

/** Nothing is made in the background here, and nothing else can be cancelled by its id: OpenAI refuses it in the same way. */
export function refuseCancelling(deps: StoredDeps): Handler<ServerEnv> {
  return (c) => {
    const id = idOf(c);
    if (storedFor(c, deps).get(id) === undefined) throwNotFound(id);
    throw new GatewayError(
      "invalid_request",
      "Only a response that is made in the background can be cancelled, and this one was not. Close the connection to stop a response that is under way.",
    );
  };
}

/** What is read is held until the answer is written, however slow its reader. */
function storedFor(c: Context<ServerEnv>, { gateway, caller, accountOf, memory }: StoredDeps): StoredResponses {
  const { incoming, outgoing } = c.env;
  const hold = memory.hold();
  outgoing.once("close", () => hold.release());
  return new StoredResponses(heldShelf(gateway.shelf({ caller, account: accountOf?.(incoming.headers) }), hold));
}

function idOf(c: Context<ServerEnv>): string {
  return c.req.param("id") ?? "";
}

function throwNotFound(id: string): never {
  throw new GatewayError(
    "response_not_found",
    `Response with id '${id.slice(0, 100)}' not found. It was not stored (store: false), was deleted, or is too old.`,
  );
}
