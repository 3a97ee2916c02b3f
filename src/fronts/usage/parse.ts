import { GatewayError } from "../../turn/error.js";
import { type Grouping, groupings, isGrouping, maxDaysOf, usualDaysOf } from "../../usage/index.js";

interface Question {
  readonly by: Grouping;
  readonly days: number;
}

/** @throws {GatewayError} `invalid_request`, if the query is wrong or asks for names that the client may not see. */
export function parseQuestion(
  query: (name: string) => string | undefined,
  { mayNameClients }: { readonly mayNameClients: boolean },
): Question {
  const by = query("by") ?? "day";
  if (!isGrouping(by)) throw invalid("by", `must be one of ${groupings.join(", ")}.`);
  if (by === "client" && !mayNameClients) {
    throw invalid("by", "client names are shown only to those with a key, and this gateway asks for none. Set one.");
  }
  const days = query("days") ?? String(usualDaysOf(by));
  const max = maxDaysOf(by);
  if (!/^\d{1,4}$/.test(days) || Number(days) < 1 || Number(days) > max) {
    throw invalid("days", `must be a whole number from 1 to ${max}${by === "hour" ? " with by=hour" : ""}.`);
  }
  return { by, days: Number(days) };
}

function invalid(param: string, must: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: ${must}`, { param });
}
