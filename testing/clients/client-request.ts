import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { EndpointRequest } from "../../packages/gateway/fronts/dialect.js";
import type { ReplyStore } from "../../packages/gateway/fronts/front.js";
import { GatewayError } from "../../packages/gateway/turn/error.js";

/** A store that is always empty. */
export const emptyStore: ReplyStore = { lasting: { get: () => undefined, put: () => {}, delete: () => false } };

/** A client's request as fronts and endpoints see it. No model is known. */
export function clientRequest(body: unknown, store: ReplyStore = emptyStore): EndpointRequest {
  return {
    body,
    headers: {},
    incoming: new IncomingMessage(new Socket()),
    param: () => "",
    query: () => undefined,
    store,
    newId: "0123456789abcdef",
    nowMs: 0,
    models: async () => [],
    model: async (name) => {
      throw new GatewayError("model_not_found", `There is no model ${name}.`);
    },
  };
}
