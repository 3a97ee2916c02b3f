import type { Context } from "hono";
import type { ClientRequest, ReplyStore } from "../front.js";
import type { ServerEnv } from "./request-record.js";

export function toClientRequest(c: Context<ServerEnv>, body: unknown, store: ReplyStore): ClientRequest {
  return {
    body,
    headers: c.env.incoming.headers,
    param: (name) => c.req.param(name) ?? "",
    query: (name) => c.req.query(name),
    store,
  };
}
