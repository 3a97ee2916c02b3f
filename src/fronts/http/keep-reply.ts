import { yieldToOthers } from "../../clock.js";
import type { Steps } from "../front.js";
import type { AcceptedRequest } from "./start-reply.js";

/** Keeps a reply with its request. Undefined if that is done; a promise if the request is so long that others run meanwhile. */
export function keepReply<Request>(
  reply: unknown,
  { front, parsed, store }: Pick<AcceptedRequest<Request>, "front" | "parsed" | "store">,
): Promise<void> | undefined {
  const steps = front.keep?.(reply, parsed.request, store);
  return steps === undefined || steps.next().done === true ? undefined : rest(steps);
}

async function rest(steps: Steps): Promise<void> {
  do await yieldToOthers();
  while (steps.next().done !== true);
}
