import type { BackendName } from "../backends/backend.js";
import { mayStandIn } from "../backends/choose/index.js";
import { GatewayError } from "../turn/error.js";
import { Attempt } from "./attempt.js";
import type { Reply } from "./reply.js";
import type { Request } from "./request.js";
import type { Services } from "./services.js";

/** Asks the backends in turn until one answers. The failure that is told in the end is that of the first. */
export async function firstToAnswer(request: Request, services: Services): Promise<Reply> {
  const { waiting, roads, turn } = request;
  const names = waiting === undefined ? roads.namesFor(turn.model) : [waiting.backend];
  let first: { readonly name: BackendName; readonly error: GatewayError } | undefined;
  for (const name of names) {
    const attempt = new Attempt(services, request, name);
    try {
      const reply = await attempt.begin();
      return first === undefined ? reply : { ...reply, warnings: [...reply.warnings, standIn(first, name)] };
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      const isTold = first === undefined;
      if (!isTold) services.onProblem(error);
      first ??= { name, error };
      // One that cannot stand in, whatever the reason, leaves it to the next.
      if (attempt.hasBegun || (isTold && !mayStandIn(error.code))) break;
    }
  }
  throw first?.error ?? new GatewayError("server_error", "There is no backend for this request.");
}

function standIn({ name, error }: { name: BackendName; error: GatewayError }, other: BackendName): string {
  return `The ${name} backend failed (${error.code}), so the ${other} backend answers in its place.`;
}
