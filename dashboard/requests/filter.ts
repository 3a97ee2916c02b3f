import { isFailure } from "../../src/ledger/entry.js";
import type { PageEntry } from "../../src/page/contract.js";
import type { Query } from "../parts/route.js";

export type RequestFilter = Readonly<ReturnType<typeof filterOf>>;

export const everything: RequestFilter = { client: "", model: "", isFailed: false, id: "" };

/** The gateway knows nothing of a part of an id: it is looked for among the requests that are listed. */
export function filterOf({ client = "", model = "", failed, id = "" }: Query) {
  return { client, model, isFailed: failed === "1", id };
}

export function queryOf({ client, model, isFailed, id }: RequestFilter): Query {
  return { client, model, failed: isFailed ? "1" : "", id };
}

/** Where the gateway has these requests, the newest first, or those before a place that it has named. */
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

/** Whether the gateway would list this request: by the name of a client with or without its version, as there. */
export function isListed(entry: PageEntry, { client, model, isFailed }: RequestFilter): boolean {
  return (
    (client === "" || entry.client === client || entry.client.startsWith(`${client}/`)) &&
    (model === "" || entry.model === model) &&
    (!isFailed || isFailure(entry.outcome))
  );
}

export function hasId(entry: PageEntry, { id }: RequestFilter): boolean {
  return entry.id.toLowerCase().includes(id.trim().toLowerCase());
}

/** The clients to choose from. Versions come and go, so a client is offered once, without them. */
export function clientNames(seen: readonly string[], chosen: string): string[] {
  const names = seen.map((name) => name.replace(/(.)\/.*$/, "$1"));
  return namesOf(names, chosen);
}

/** What was seen, in order, and what is chosen even if it was not seen. */
export function namesOf(seen: readonly string[], chosen: string): string[] {
  return [...new Set([...seen, chosen])].filter((name) => name !== "").sort((one, other) => one.localeCompare(other));
}
