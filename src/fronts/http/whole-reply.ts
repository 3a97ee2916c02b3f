import { collect } from "../../turn/collect.js";
import { turnUsageHeader } from "../parts/turn-usage.js";
import type { Answer } from "./answer.js";
import { type Journey, startReply } from "./journey.js";

/** A reply for a client that waits for all of it. */
export async function wholeReply<Request>(journey: Journey<Request>): Promise<Answer> {
  const { front, parsed } = journey;
  const { events, facts, headers } = await startReply(journey);
  const result = await collect(events);
  const { usage, turnUsage } = result;
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      ...headers,
      // A streamed reply cannot say these in its head: they are known at the end.
      ...(usage?.estimated === true && { "x-curlew-usage": "estimated" }),
      ...(usage !== undefined && turnUsageHeader(usage, turnUsage)),
    },
    text: JSON.stringify(front.reply(result, parsed.request, facts)),
  };
}
