import type { TokenSource } from "../../../auth/token.js";
import type { Clock } from "../../../clock.js";
import type { ClientIdentity } from "../../cursor/identity.js";
import { appendHeaders, type RunOpening, runHeaders } from "./headers.js";
import type { Http1Road } from "./http1-road.js";
import type { Http2Pool } from "./http2-pool.js";
import type { RunChannel, RunSink } from "./run-channel.js";
import { RunStream } from "./run-stream.js";
import type { ServerFactSource, ServerFacts } from "./server-facts.js";
import type { TransportChoice } from "./transport-choice.js";

interface OpenRunDeps {
  readonly tokens: TokenSource;
  readonly facts: Pick<ServerFactSource, "get">;
  readonly identityOf: (facts: ServerFacts) => ClientIdentity;
  readonly backendUrl: string;
  /** Where runs go if the owner says so, on either transport. */
  readonly agentUrl: string | undefined;
  readonly pool: Http2Pool;
  readonly http1: Http1Road;
  readonly transports: TransportChoice;
  readonly clock: Clock;
}

/** Opens one attempt at a run, over the transport that is due. */
export async function openRun(opening: RunOpening, sink: RunSink, deps: OpenRunDeps): Promise<RunChannel> {
  const { tokens, backendUrl, agentUrl, clock, pool, http1 } = deps;
  const facts = await deps.facts.get(opening.token);
  const identity = deps.identityOf(facts);
  const headers = runHeaders(opening, identity);
  if (deps.transports.pick(facts.http2, backendUrl) === "h2") {
    headers[":method"] = "POST"; // Node sends these two first, wherever they stand
    headers[":path"] = "/agent.v1.AgentService/Run";
    const request = { account: tokens.account, origin: facts.agentOrigin, headers };
    return new RunStream(await pool.open(request), sink, clock.now);
  }
  const { requestId } = opening;
  return http1.open(
    {
      // Cursor's agent hosts are for HTTP/2; the other half of an HTTP/1.1 run is a call of the backend's.
      origin: agentUrl ?? backendUrl,
      requestId,
      runHeaders: { ...headers, "x-cursor-streaming": "true" },
      appendHeaders: appendHeaders(requestId, identity),
      tokens,
      clock,
    },
    sink,
  );
}
