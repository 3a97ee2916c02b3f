import type { ProblemAnswer } from "../../page/index.js";
import { GatewayError } from "../../turn/error.js";

/**
 * Why there is no list of models. Where Cursor does not accept the gateway's login, a status that says so would have the page take
 * its own session for over.
 */
export function writeModelProblem(thrown: unknown): Response {
  const { kind, message, code } = GatewayError.from(thrown);
  if (kind !== "authentication") throw thrown;
  const answer: ProblemAnswer = { error: { message, code } };
  return Response.json(answer, { status: 502 });
}
