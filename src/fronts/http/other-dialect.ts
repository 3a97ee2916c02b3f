import { GatewayError } from "../../turn/error.js";
import { field } from "../../turn/read-json.js";
import type { ClientRequest, DialectName, Front, ParsedRequest } from "../front.js";

const names: Readonly<Record<DialectName, string>> = {
  "openai-chat": "OpenAI Chat Completions",
  "openai-completions": "OpenAI Completions",
  "openai-responses": "OpenAI Responses",
  "anthropic-messages": "Anthropic Messages",
};

/**
 * Parses a request in the dialect of its route. If that fails and the body is one of another dialect, the error also names the route
 * for it. What can be parsed is never looked at for that.
 *
 * @throws {GatewayError} The request is invalid in its dialect.
 */
export function parseOrNameRoute<Request>(
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
    const hint = `This looks like an ${names[meant.dialect]} request: send it to POST ${meant.path}.`;
    throw thrown.with({}, `${thrown.message} ${hint}`);
  }
}

/**
 * The other front that a body is for. A body that its own front claims is just a faulty one. A conversation of plain words is one for
 * the first front if it lacks what its own front requires.
 */
function meantFront(
  { path, claims }: Pick<Front<never>, "path" | "claims">,
  request: ClientRequest,
  fronts: readonly Front<unknown>[],
  param = "",
): Front<unknown> | undefined {
  if (claims?.(request)) return undefined;
  const isFirsts = Array.isArray(field(request.body, "messages")) && isMissing(param, request);
  const meant = fronts.find((other) => other.claims?.(request)) ?? (isFirsts ? fronts[0] : undefined);
  return meant?.path === path ? undefined : meant;
}

/** Every dialect requires a model. */
function isMissing(param: string, { body }: ClientRequest): boolean {
  return param !== "" && param !== "model" && field(body, param) === undefined;
}
