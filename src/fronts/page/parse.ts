import { GatewayError } from "../../turn/error.js";
import type { RequestsQuestion } from "../../views/index.js";

const USUAL_LIMIT = 50;
const MAX_LIMIT = 200;
/** The ledger cuts names at this length. */
const MAX_NAME_LENGTH = 200;

/** @throws {GatewayError} `invalid_request`, if the query is wrong. */
export function parseRequests(query: (name: string) => string | undefined): RequestsQuestion {
  const [client, model] = [nameIn(query, "client"), nameIn(query, "model")];
  const [failed, before, limit = String(USUAL_LIMIT)] = ["failed", "before", "limit"].map(query);
  if (failed !== undefined && failed !== "1") throw invalid("failed", "must be 1, or left out.");
  if (before !== undefined && !/^\d{13}[\da-z]{1,40}$/.test(before)) {
    throw invalid("before", "must be what an earlier answer has as before.");
  }
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT) {
    throw invalid("limit", `must be a whole number from 1 to ${MAX_LIMIT}.`);
  }
  return {
    ...(client !== undefined && { client }),
    ...(model !== undefined && { model }),
    ...(failed === "1" && { isFailed: true }),
    ...(before !== undefined && { before }),
    limit: Number(limit),
  };
}

/** An id that a request can have; undefined for any other text. */
export function parseId(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w.:-]{1,128}$/.test(text) ? text : undefined;
}

/** A name to look for; undefined if there is none. */
function nameIn(query: (name: string) => string | undefined, name: "client" | "model"): string | undefined {
  const text = query(name) || undefined;
  if (text !== undefined && text.length > MAX_NAME_LENGTH) {
    throw invalid(name, `must be no longer than ${MAX_NAME_LENGTH} characters.`);
  }
  return text;
}

function invalid(param: string, must: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: ${must}`, { param });
}
