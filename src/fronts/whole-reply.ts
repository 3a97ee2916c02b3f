import { collect } from "../turn/collect.js";
import type { Answer } from "./answer.js";
import { type Journey, startReply } from "./journey.js";

/** A reply for a client that waits for all of it. */
export async function wholeReply<Request>(journey: Journey<Request>): Promise<Answer> {
  const { front, parsed } = journey;
  const { events, facts, headers } = await startReply(journey);
  const result = await collect(events);
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      ...headers,
      // A streamed reply cannot say this in its head: it is known at the end.
      ...(result.usage?.estimated === true && { "x-curlew-usage": "estimated" }),
    },
    text: JSON.stringify(front.reply(result, parsed.request, facts)),
  };
}
