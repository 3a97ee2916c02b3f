import type { TokenSource } from "../../../auth/token.js";
import type { Clock } from "../../../clock.js";
import { ToolCallSchema } from "../../../gen/agent_v1_pb.js";
import { type ClientIdentity, clientType, identityHeaders, USER_AGENT } from "../../cursor/identity.js";
import type { Http2Pool } from "./http2-pool.js";
import type { RunChannel, RunSink } from "./run-channel.js";
import { RunStream } from "./run-stream.js";
import type { ServerConfig, ServerConfigSource } from "./server-config.js";
import type { Http1Pool } from "./sse-run.js";
import type { TransportChoice } from "./transport-choice.js";

/** Every tool of Cursor's own, by the names that the tool headers use. */
const allTools: string = ToolCallSchema.oneofs
  .flatMap((group) => (group.name === "tool" ? group.fields.map((tool) => tool.name) : []))
  .join(",");

/** A trace that nobody records; Cursor's own SDK sends it so. */
const NO_TRACE = `00-${"0".repeat(32)}-${"0".repeat(16)}-00`;

/** Calling the client's tools, and looking them up, which some models do first. */
const clientTools = "mcp_tool_call,get_mcp_tools_tool_call";

/** What differs from attempt to attempt. */
export interface RunOpening {
  readonly token: string;
  /** New for each attempt. */
  readonly requestId: string;
  /** The same for all attempts at one turn. */
  readonly originalRequestId: string;
  /** Whether the client offers tools of its own. */
  readonly hasTools: boolean;
}

interface OpenRunDeps {
  readonly tokens: TokenSource;
  readonly facts: Pick<ServerConfigSource, "get">;
  readonly identityOf: (facts: ServerConfig) => ClientIdentity;
  readonly backendUrl: string;
  /** Where runs go if the owner says so, on either transport. */
  readonly agentUrl: string | undefined;
  readonly pool: Http2Pool;
  readonly http1: Http1Pool;
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

/** Name by name: to spread one set of headers into another takes many times as long. */
export function runHeaders(run: RunOpening, { version, ghostMode }: ClientIdentity): Record<string, string> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${run.token}`,
    "content-type": "application/connect+proto",
    "connect-protocol-version": "1",
    "connect-accept-encoding": "identity",
    "user-agent": USER_AGENT,
    "x-cursor-client-type": clientType(version),
    "x-cursor-client-version": version,
    "x-ghost-mode": String(ghostMode),
    "x-request-id": run.requestId,
    "x-original-request-id": run.originalRequestId,
    traceparent: NO_TRACE,
    "backend-traceparent": NO_TRACE,
  };
  // The model gets the client's tools and none of Cursor's own.
  if (run.hasTools) headers["x-cursor-agent-allowed-tools"] = clientTools;
  else headers["x-cursor-agent-exclude-tools"] = allTools;
  return headers;
}

/** For one message of a run over HTTP/1.1, all but the authorization. */
function appendHeaders(requestId: string, identity: ClientIdentity): Record<string, string> {
  return {
    "content-type": "application/proto",
    "connect-protocol-version": "1",
    "user-agent": USER_AGENT,
    ...identityHeaders(identity),
    "x-request-id": requestId,
  };
}
