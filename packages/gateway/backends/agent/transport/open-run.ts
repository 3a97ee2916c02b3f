import { ToolCallSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import type { TokenSource } from "../../../account/token.js";
import type { Clock } from "../../../system/clock.js";
import { type ClientIdentity, clientType, identityHeaders } from "../../cursor/identity.js";
import type { Recorder } from "../../recorder.js";
import type { Http2Pool, StreamRequest } from "./http2-pool.js";
import type { RunChannel, RunSink } from "./run-channel.js";
import { RunStream } from "./run-stream.js";
import type { ServerConfig, ServerConfigSource } from "./server-config.js";
import { type Http1Pool, RUN_SSE } from "./sse-run.js";
import type { TransportChoice } from "./transport-choice.js";

/** The names of all of Cursor's built-in tools, as the tool headers spell them (docs/protocol/wire.md, tools). */
const allTools = ToolCallSchema.oneofs.flatMap((group) =>
  group.name === "tool" ? group.fields.map((tool) => tool.name) : [],
);
const ALL_TOOLS = allTools.join(",");

/** Those that search the web and read pages, on Cursor's servers. */
const webTools = allTools.filter((name) => /^(web|exa)_(search|fetch)_tool_call$/.test(name));
const ALL_BUT_WEB_TOOLS = allTools.filter((name) => !webTools.includes(name)).join(",");

/** An empty trace id. Cursor's own SDK sends zeros too (docs/protocol/wire.md, headers). */
const NO_TRACE = `00-${"0".repeat(32)}-${"0".repeat(16)}-00`;

/** The model may call the client's tools, and look them up, which some models do first (docs/protocol/wire.md, tools). */
const CLIENT_TOOLS = "mcp_tool_call,get_mcp_tools_tool_call";
const CLIENT_AND_WEB_TOOLS = [CLIENT_TOOLS, ...webTools].join(",");

export interface RunOpening {
  readonly token: string;
  /** New for every attempt. */
  readonly requestId: string;
  /** The same for all attempts at one turn. */
  readonly originalRequestId: string;
  readonly hasTools: boolean;
  readonly allowsWeb: boolean;
}

interface OpenRunDeps {
  readonly tokens: TokenSource;
  readonly serverConfig: Pick<ServerConfigSource, "current" | "get">;
  readonly identityOf: (config: ServerConfig) => ClientIdentity;
  readonly backendUrl: string;
  readonly agentUrl: string | undefined;
  readonly pool: Http2Pool;
  readonly http1: Http1Pool;
  readonly transports: TransportChoice;
  readonly clock: Clock;
  readonly recorder?: Recorder | undefined;
}

const RUN = "/agent.v1.AgentService/Run";

export type RunOpener = ReturnType<typeof createRunOpener>;

export function createRunOpener(deps: OpenRunDeps) {
  const { tokens, serverConfig, identityOf, backendUrl, agentUrl, pool, http1, transports, clock, recorder } = deps;

  const isHttp1 = ({ http2 }: ServerConfig) => transports.pick(http2, backendUrl) === "h1";

  const toStreamRequest = (opening: RunOpening, config: ServerConfig): StreamRequest => {
    const headers = runHeaders(opening, identityOf(config));
    headers[":method"] = "POST"; // Node sends these two first, in whatever order they are set
    headers[":path"] = RUN;
    return { account: tokens.account, origin: config.agentOrigin, headers };
  };

  const recordOf = ({ headers }: StreamRequest) => recorder?.open({ method: "POST", path: RUN, http: "2", headers });

  const openHttp1 = (opening: RunOpening, config: ServerConfig, sink: RunSink): RunChannel => {
    const { requestId } = opening;
    const identity = identityOf(config);
    const headers = runHeaders(opening, identity);
    headers["x-cursor-streaming"] = "true";
    return http1.open(
      {
        // Cursor's agent hosts speak HTTP/2 only; the backend takes HTTP/1.1 runs and appends (docs/protocol/wire.md, hosts).
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
  };

  return {
    /** Opens an attempt; undefined where it must wait for the server config or a session. @throws GatewayError for too many runs */
    // Without this form, a short request makes 58 promises in place of 51 (docs/decisions/0006-one-entrance-one-stretch.md).
    openNow(opening: RunOpening, sink: RunSink): RunChannel | undefined {
      const config = serverConfig.current(opening.token);
      if (config === undefined) return undefined;
      if (isHttp1(config)) return openHttp1(opening, config, sink);
      const request = toStreamRequest(opening, config);
      const stream = pool.openNow(request);
      return stream && new RunStream(stream, sink, clock.now, recordOf(request));
    },

    /** The same, after waiting. @throws GatewayError when the host cannot be reached or does not speak HTTP/2 */
    async open(opening: RunOpening, sink: RunSink): Promise<RunChannel> {
      const config = await serverConfig.get(opening.token);
      if (isHttp1(config)) return openHttp1(opening, config, sink);
      const request = toStreamRequest(opening, config);
      const record = recordOf(request);
      try {
        return new RunStream(await pool.open(request), sink, clock.now, record);
      } catch (thrown) {
        record?.ended("unreachable");
        throw thrown;
      }
    },
  };
}

/** The headers of a run (docs/protocol/wire.md, headers), set one by one, because a spread takes many times as long. */
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
  // The model gets the client's tools, and of Cursor's own only those that are allowed.
  const { hasTools, allowsWeb } = run;
  if (hasTools) headers["x-cursor-agent-allowed-tools"] = allowsWeb ? CLIENT_AND_WEB_TOOLS : CLIENT_TOOLS;
  else headers["x-cursor-agent-exclude-tools"] = allowsWeb ? ALL_BUT_WEB_TOOLS : ALL_TOOLS;
  return headers;
}

function appendHeaders(requestId: string, identity: ClientIdentity): Record<string, string> {
  return {
    "content-type": "application/proto",
    "connect-protocol-version": "1",
    "user-agent": identity.userAgent,
    ...identityHeaders(identity),
    "x-request-id": requestId,
  };
}
