import type { IncomingMessage } from "node:http";
import type { RequestRecord } from "../../events/index.js";
import type { Caller } from "../../keys/index.js";

const MAX_NAME_LENGTH = 60;

/** Notes in the record who asks. */
export function noteClient(
  record: RequestRecord,
  { headers }: Pick<IncomingMessage, "headers">,
  { id, name }: Caller,
): void {
  record.caller = id;
  record.client = name ?? productOf(headers["user-agent"]);
}

/** The first product of a user agent, such as `claude-cli/2.1.0`; empty when there is none that can be shown. */
export function productOf(userAgent: string | undefined): string {
  if (userAgent === undefined) return "";
  const end = userAgent.indexOf(" ");
  const product = end < 0 ? userAgent : userAgent.slice(0, end);
  return product.length <= MAX_NAME_LENGTH && /^[\x21-\x7e]*$/.test(product) ? product : "";
}
