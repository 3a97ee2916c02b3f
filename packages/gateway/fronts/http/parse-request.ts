import type { IncomingHttpHeaders } from "node:http";
import { isAbsolute } from "node:path";
import type { Account, TextStore } from "../../core/index.js";
import { GatewayError } from "../../turn/error.js";
import { field } from "../../turn/read-json.js";
import { dialectNames } from "../dialect-names.js";
import type { ClientRequest, Front, ParsedRequest, ReplyStore } from "../front.js";
import { ownerOf } from "./rejoin/returning-client.js";
import type { MemoryHold } from "./request-memory.js";
import type { RouteDeps } from "./route-deps.js";

const WORKSPACE_HEADER = "x-curlew-workspace";
const MAX_BYTES = 4_096;

/** Parses a request in its dialect, with the gateway's own headers. The turn's warnings begin with those in `warned`. */
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

/** The folder that a request is about. The backend decides whether to use it. */
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

/** If the request cannot be parsed in its dialect and the body is one of another dialect, the error also names the route for it. */
function parseOrNameRoute<Request>(
  front: Front<Request>,
  request: ClientRequest,
  fronts: readonly Front<unknown>[],
): ParsedRequest<Request> {
  try {
    return front.parse(request);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.kind !== "bad-request") throw thrown;
    const meant = meantFront(front, request, fronts, thrown.param);
    if (meant === undefined) throw thrown;
    const hint = `This looks like an ${dialectNames[meant.dialect]} request: send it to POST ${meant.path}.`;
    throw thrown.with({}, `${thrown.message} ${hint}`);
  }
}

/** The other front that an invalid body is meant for; none if its own front claims it. Plain messages are for the first front. */
function meantFront(
  { path, claims }: Pick<Front<never>, "path" | "claims">,
  request: ClientRequest,
  fronts: readonly Front<unknown>[],
  param = "",
): Front<unknown> | undefined {
  if (claims?.(request)) return undefined;
  // Every dialect requires a model.
  const isMissing = param !== "" && param !== "model" && field(request.body, param) === undefined;
  const isFirsts = Array.isArray(field(request.body, "messages")) && isMissing;
  const meant = fronts.find((other) => other.claims?.(request)) ?? (isFirsts ? fronts[0] : undefined);
  return meant?.path === path ? undefined : meant;
}

interface StoreDeps {
  readonly deps: Pick<RouteDeps, "gateway" | "background">;
  readonly caller: string;
  readonly account: Account | undefined;
  readonly hold: MemoryHold;
  readonly connection?: TextStore;
}

export function storeFor({ deps, caller, account, hold, connection }: StoreDeps): ReplyStore {
  let lasting: TextStore | undefined;
  return {
    get lasting() {
      lasting ??= holdReads(deps.gateway.textStore({ caller, account }), hold);
      return lasting;
    },
    connection,
    background: (id) => deps.background.find(ownerOf([account?.account, caller]), id),
  };
}

/** Charges what a request reads from the store to the request's memory, once per id. */
function holdReads(textStore: TextStore, hold: MemoryHold): TextStore {
  const held = new Set<string>();
  return {
    get(id) {
      const text = textStore.get(id);
      if (!held.has(id)) hold.take(text?.length ?? 0);
      held.add(id);
      return text;
    },
    put: (id, text, beside) => textStore.put(id, text, beside),
    delete: (id) => textStore.delete(id),
  };
}
