import type { ClientRequest, ReplyStore } from "../../src/fronts/front.js";

/** A store in which nothing is found and nothing stays. */
export const emptyStore: ReplyStore = { lasting: { get: () => undefined, put: () => {}, delete: () => false } };

/** A request of a client as fronts see it. */
export function clientRequest(body: unknown, store: ReplyStore = emptyStore): ClientRequest {
  return { body, headers: {}, param: () => "", query: () => undefined, store };
}
