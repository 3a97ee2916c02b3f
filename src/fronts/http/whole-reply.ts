import { collect } from "../../turn/collect.js";
import { turnUsageHeader } from "../parts/usage.js";
import type { Answer } from "./answer.js";
import { keepReply } from "./keep-reply.js";
import { type AcceptedRequest, runTurn, startReply, warningsHeader } from "./start-reply.js";

/** Answers a client that waits for the whole reply. */
export async function wholeReply<Request>(accepted: AcceptedRequest<Request>): Promise<Answer> {
  const { deps, front, parsed, record } = accepted;
  const { events, head, headers } = startReply(await runTurn(accepted), accepted);
  const result = await collect(events);
  const { usage, turnUsage } = result;
  const reply = front.reply(result, parsed.request, head, deps.clock.now());
  const keeping = keepReply(reply, accepted);
  if (keeping !== undefined) await keeping;
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      ...headers,
      // A streamed reply cannot send these in its headers: they are known only at the end.
      ...warningsHeader(record.warnings ?? []),
      ...(usage?.estimated === true && { "x-curlew-usage": "estimated" }),
      ...(usage !== undefined && turnUsageHeader(usage, turnUsage)),
    },
    text: JSON.stringify(reply),
  };
}
