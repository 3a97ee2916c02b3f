import type { IncomingHttpHeaders } from "node:http";
import type { Context } from "hono";
import type { ClientRequest, ReplyStore } from "../front.js";
import type { ServerEnv } from "./request-record.js";

export class HttpRequest implements ClientRequest {
  readonly body: unknown;
  readonly store: ReplyStore;
  readonly #context: Context<ServerEnv>;

  constructor(context: Context<ServerEnv>, body: unknown, store: ReplyStore) {
    this.#context = context;
    this.body = body;
    this.store = store;
  }

  get headers(): IncomingHttpHeaders {
    return this.#context.env.incoming.headers;
  }

  param(name: string): string {
    return this.#context.req.param(name) ?? "";
  }

  query(name: string): string | undefined {
    return this.#context.req.query(name);
  }
}
