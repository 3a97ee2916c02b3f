import { collect } from "../../turn/collect.js";
import { turnUsageHeader } from "../parts/turn-usage.js";
import type { Answer } from "./answer.js";
import { type AcceptedRequest, startReply } from "./start-reply.js";

/** A reply for a client that waits for all of it. */
export async function wholeReply<Request>(accepted: AcceptedRequest<Request>): Promise<Answer> {
  const { deps, front, parsed, store } = accepted;
  const { events, facts, headers } = await startReply(accepted);
  const result = await collect(events);
  const { usage, turnUsage } = result;
  const reply = front.reply(result, parsed.request, facts, deps.clock.now());
  front.keep?.(reply, parsed.request, store);
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      ...headers,
      // A streamed reply cannot say these in its head: they are known at the end.
      ...(usage?.estimated === true && { "x-curlew-usage": "estimated" }),
      ...(usage !== undefined && turnUsageHeader(usage, turnUsage)),
    },
    text: JSON.stringify(reply),
  };
}
