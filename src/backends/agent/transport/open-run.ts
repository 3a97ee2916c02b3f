import type { TokenSource } from "../../../auth/token.js";
import type { Clock } from "../../../clock.js";
import { ToolCallSchema } from "../../../gen/agent_v1_pb.js";
import { type ClientIdentity, clientType, identityHeaders } from "../../cursor/identity.js";
import type { Recorder } from "../../recorder.js";
import type { Http2Pool } from "./http2-pool.js";
import type { RunChannel, RunSink } from "./run-channel.js";
import { RunStream } from "./run-stream.js";
import type { ServerConfig, ServerConfigSource } from "./server-config.js";
import { type Http1Pool, RUN_SSE } from "./sse-run.js";
import type { TransportChoice } from "./transport-choice.js";

/** The names of all of Cursor's built-in tools, as the tool headers spell them (docs/protocol/wire.md, tools). */
const ALL_TOOLS: string = ToolCallSchema.oneofs
  .flatMap((group) => (group.name === "tool" ? group.fields.map((tool) => tool.name) : []))
  .join(",");

/** A trace id that no trace has. Cursor's own SDK sends zeros too (docs/protocol/wire.md, headers). */
const NO_TRACE = `00-${"0".repeat(32)}-${"0".repeat(16)}-00`;

/** The model may call the client's tools, and look them up, which some models do first (docs/protocol/wire.md, tools). */
const CLIENT_TOOLS = "mcp_tool_call,get_mcp_tools_tool_call";

/** The part of a run that differs between attempts. */
export interface RunOpening {
  readonly token: string;
  /** New for every attempt. */
  readonly requestId: string;
  /** The same for all attempts at one turn. */
  readonly originalRequestId: string;
  /** Whether the client offers tools of its own. */
  readonly hasTools: boolean;
}

interface OpenRunDeps {
  readonly tokens: TokenSource;
  readonly serverConfig: Pick<ServerConfigSource, "get">;
  readonly identityOf: (config: ServerConfig) => ClientIdentity;
  readonly backendUrl: string;
  /** The origin for runs where the owner sets one, for both transports. */
  readonly agentUrl: string | undefined;
  readonly pool: Http2Pool;
  readonly http1: Http1Pool;
  readonly transports: TransportChoice;
  readonly clock: Clock;
  readonly recorder?: Recorder | undefined;
}

const RUN = "/agent.v1.AgentService/Run";

/**
 * Opens one attempt at a run, over the transport that is chosen now.
 * @throws GatewayError when the host cannot be reached or does not speak HTTP/2.
 */
export async function openRun(opening: RunOpening, sink: RunSink, deps: OpenRunDeps): Promise<RunChannel> {
  const { tokens, backendUrl, agentUrl, clock, pool, http1, recorder } = deps;
  const config = await deps.serverConfig.get(opening.token);
  const identity = deps.identityOf(config);
  const headers = runHeaders(opening, identity);
  if (deps.transports.pick(config.http2, backendUrl) === "h2") {
    headers[":method"] = "POST"; // Node sends these two first, in whatever order they are set
    headers[":path"] = RUN;
    const request = { account: tokens.account, origin: config.agentOrigin, headers };
    const record = recorder?.open({ method: "POST", path: RUN, http: "2", headers });
    try {
      return new RunStream(await pool.open(request), sink, clock.now, record);
    } catch (thrown) {
      record?.ended("unreachable");
      throw thrown;
    }
  }
  const { requestId } = opening;
  headers["x-cursor-streaming"] = "true";
  return http1.open(
    {
      // Cursor's agent hosts speak HTTP/2 only, so an HTTP/1.1 run goes to the backend, which also takes its appends
      // (docs/protocol/wire.md, hosts).
      origin: agentUrl ?? backendUrl,
      requestId,
      runHeaders: headers,
      appendHeaders: appendHeaders(requestId, identity),
      tokens,
      clock,
      record: recorder?.open({ method: "POST", path: RUN_SSE, http: "1.1", headers }),
    },
    sink,
  );
}

/**
 * The headers of a run (docs/protocol/wire.md, headers). They are set one by one, because spreading one object into another takes
 * many times as long.
 */
export function runHeaders(run: RunOpening, { version, userAgent, ghostMode }: ClientIdentity): Record<string, string> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${run.token}`,
    "content-type": "application/connect+proto",
    "connect-protocol-version": "1",
    "connect-accept-encoding": "identity",
    "user-agent": userAgent,
    "x-cursor-client-type": clientType(version),
    "x-cursor-client-version": version,
    "x-ghost-mode": String(ghostMode),
    "x-request-id": run.requestId,
    "x-original-request-id": run.originalRequestId,
    traceparent: NO_TRACE,
    "backend-traceparent": NO_TRACE,
  };
  // The model gets the client's tools and none of Cursor's own.
  if (run.hasTools) headers["x-cursor-agent-allowed-tools"] = CLIENT_TOOLS;
  else headers["x-cursor-agent-exclude-tools"] = ALL_TOOLS;
  return headers;
}

/** The headers of one append, without the authorization. */
function appendHeaders(requestId: string, identity: ClientIdentity): Record<string, string> {
  return {
    "content-type": "application/proto",
    "connect-protocol-version": "1",
    "user-agent": identity.userAgent,
    ...identityHeaders(identity),
    "x-request-id": requestId,
  };
}
