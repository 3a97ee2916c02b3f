import type { BackendName } from "../backends/backend.js";
import { mayStandIn } from "../backends/choose/index.js";
import { GatewayError } from "../turn/error.js";
import type { Reply } from "./gateway.js";

/** One attempt at a reply. */
export interface Attempt {
  /** Whether the upstream has given any event: from then on it may have been paid for. */
  readonly hasBegun: boolean;
  /** Resolves at the first event that the client gets to see. */
  begin(): Promise<Reply>;
}

/** Asks the backends in turn until one answers. The failure that is told in the end is that of the first. */
export async function firstToAnswer(
  names: readonly BackendName[],
  attemptOn: (name: BackendName) => Attempt,
  onProblem: (problem: unknown) => void = () => {},
): Promise<Reply> {
  let first: { readonly name: BackendName; readonly error: GatewayError } | undefined;
  for (const name of names) {
    const attempt = attemptOn(name);
    try {
      const reply = await attempt.begin();
      return first === undefined ? reply : { ...reply, warnings: [...reply.warnings, standIn(first, name)] };
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      const isTold = first === undefined;
      if (!isTold) onProblem(error);
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
