import type { IncomingHttpHeaders } from "node:http";
import { isAbsolute } from "node:path";
import type { Context } from "hono";
import { GatewayError } from "../../turn/error.js";
import type { AddressedRequest, ClientRequest, Front, ParsedRequest, ReplyStore } from "../front.js";
import { parseOrNameRoute } from "./other-dialect.js";
import type { RouteDeps } from "./route-deps.js";
import type { ServerEnv } from "./server-env.js";

const WORKSPACE_HEADER = "x-curlew-workspace";
const MAX_BYTES = 4_096;

export function toAddressedRequest(c: Context<ServerEnv>, body: unknown, store: ReplyStore): AddressedRequest {
  return {
    body,
    headers: c.env.incoming.headers,
    param: (name) => c.req.param(name) ?? "",
    query: (name) => c.req.query(name),
    store,
  };
}

/**
 * Parses a request in its dialect, and reads the headers that the gateway itself understands. The turn begins with what the client is
 * warned of already.
 *
 * @throws {GatewayError} The request is invalid in its dialect, or its workspace header is.
 */
export function parseRequest<Request>(
  front: Front<Request>,
  request: ClientRequest,
  { warnOf, fronts }: Pick<RouteDeps, "warnOf" | "fronts">,
  warned?: readonly string[],
): ParsedRequest<Request> {
  const parsed = parseOrNameRoute(front, request, fronts);
  const workspace = readWorkspace(request.headers);
  const hints = warnOf?.(request.headers) ?? [];
  const warnings = warned === undefined ? hints : [...warned, ...hints];
  if (workspace === undefined && warnings.length === 0) return parsed;
  const { turn } = parsed;
  return {
    ...parsed,
    turn: { ...turn, ...(workspace !== undefined && { workspace }), warnings: [...warnings, ...turn.warnings] },
  };
}

/** The folder that a request is about. The backend decides whether it may be used: only some backends have a use for it. */
function readWorkspace(headers: IncomingHttpHeaders): string | undefined {
  const value = headers[WORKSPACE_HEADER];
  if (typeof value !== "string" || value === "") return undefined;
  // Node reads headers as Latin-1, but paths are UTF-8.
  const workspace = Buffer.from(value, "latin1").toString("utf8");
  if (!isAbsolute(workspace) || value.length > MAX_BYTES) {
    const text = `${WORKSPACE_HEADER} must be the absolute path of a folder on the gateway's machine, of at most ${MAX_BYTES} bytes.`;
    throw new GatewayError("invalid_request", text, { param: WORKSPACE_HEADER });
  }
  return workspace;
}
