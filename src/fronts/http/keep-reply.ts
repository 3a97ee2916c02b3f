import { finishInSlices } from "../../clock.js";
import type { AcceptedRequest } from "./start-reply.js";

/** Keeps a reply with its request. Undefined if that is done; a promise if the request is so long that others run meanwhile. */
export function keepReply<Request>(
  reply: unknown,
  { front, parsed, store }: Pick<AcceptedRequest<Request>, "front" | "parsed" | "store">,
): Promise<undefined> | undefined {
  const work = front.keep?.(reply, parsed.request, store);
  return work === undefined || work.next().done === true ? undefined : finishInSlices(work);
}
