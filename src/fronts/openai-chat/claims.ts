import { field, listField } from "../../turn/read-json.js";
import type { ClientRequest } from "../front.js";

/** Roles that only this dialect has. */
const ownRoles: ReadonlySet<unknown> = new Set(["developer", "tool", "function"]);

/** Whether a body can only be one of this dialect. Conversations of plain words are also those of others. */
export function claims({ body }: Pick<ClientRequest, "body">): boolean {
  if (!Array.isArray(field(body, "messages"))) return false;
  if (listField(body, "tools").some((tool) => field(tool, "function") !== undefined)) return true;
  return listField(body, "messages").some(
    (message) => ownRoles.has(field(message, "role")) || field(message, "tool_calls") !== undefined,
  );
}
