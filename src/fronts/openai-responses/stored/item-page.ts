import { GatewayError } from "../../../turn/error.js";
import type { StoredItem } from "./stored-responses.js";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Where a page of a list begins, how long it is, and in which order. */
interface Paging {
  readonly limit: number;
  readonly after: string | undefined;
  readonly isAscending: boolean;
}

/** @throws {GatewayError} `invalid_request`, if limit or order is invalid. */
export function parsePaging(query: (name: string) => string | undefined): Paging {
  const limit = query("limit") ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT) {
    throw invalid("limit", `must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  const order = query("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw invalid("order", "must be asc or desc");
  return { limit: Number(limit), after: query("after"), isAscending: order === "asc" };
}

/** @throws {GatewayError} `invalid_request`, if `after` names no item. */
export function toPage(items: readonly StoredItem[], { limit, after, isAscending }: Paging) {
  const all = isAscending ? items : items.toReversed();
  const first = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && first === 0) throw invalid("after", "names no item of this response");
  const data = all.slice(first, first + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: first + limit < all.length,
  };
}

function invalid(param: string, problem: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: ${problem}.`, { param });
}
