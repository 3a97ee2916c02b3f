import { isFailure } from "@curlew/meter/ledger/entry.js";
import type { PageEntry } from "../../access/contract.js";
import type { Query } from "../parts/route.js";

export type RequestFilter = Readonly<ReturnType<typeof filterOf>>;

export const everything: RequestFilter = { client: "", model: "", isFailed: false, id: "" };

/** `id` may be part of an id. The gateway cannot search for that, so it filters only the loaded requests. */
export function filterOf({ client = "", model = "", failed, id = "" }: Query) {
  return { client, model, isFailed: failed === "1", id };
}

export function queryOf({ client, model, isFailed, id }: RequestFilter): Query {
  return { client, model, failed: isFailed ? "1" : "", id };
}

/** API path of these requests, newest first; `before` is the cursor from the last answer. */
export function listPath({ client, model, isFailed }: RequestFilter, limit: number, before?: string): string {
  const query = new URLSearchParams({
    ...(client !== "" && { client }),
    ...(model !== "" && { model }),
    ...(isFailed && { failed: "1" }),
    ...(before !== undefined && { before }),
    limit: String(limit),
  });
  return `requests?${query}`;
}

/** The filter of the gateway, for requests that arrive live. */
export function isListed(entry: PageEntry, { client, model, isFailed }: RequestFilter): boolean {
  return (
    (client === "" || entry.client === client) &&
    (model === "" || entry.model === model) &&
    (!isFailed || isFailure(entry.outcome))
  );
}

export function hasId(entry: PageEntry, { id }: RequestFilter): boolean {
  return entry.id.toLowerCase().includes(id.trim().toLowerCase());
}

/** The seen names, sorted, including the chosen one even if it was not seen. */
export function namesOf(seen: readonly string[], chosen: string): string[] {
  return [...new Set([...seen, chosen])].filter((name) => name !== "").sort((one, other) => one.localeCompare(other));
}
