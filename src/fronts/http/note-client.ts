import type { IncomingMessage } from "node:http";
import type { RequestRecord } from "../../events/index.js";
import type { Front } from "../front.js";
import type { RouteDeps } from "./route-deps.js";

const MAX_NAME_LENGTH = 60;

/** Notes in the record who asks, and in which dialect. */
export function noteClient(
  record: RequestRecord,
  { headers }: Pick<IncomingMessage, "headers">,
  { dialect }: Pick<Front<unknown>, "dialect">,
  { caller }: Pick<RouteDeps, "caller">,
): void {
  record.caller = caller;
  record.client = productOf(headers["user-agent"]);
  record.dialect = dialect;
}

/** The first product of a user agent, such as `claude-cli/2.1.0`; empty when there is none that can be shown. */
export function productOf(userAgent: string | undefined): string {
  if (userAgent === undefined) return "";
  const end = userAgent.indexOf(" ");
  const product = end < 0 ? userAgent : userAgent.slice(0, end);
  return product.length <= MAX_NAME_LENGTH && /^[\x21-\x7e]*$/.test(product) ? product : "";
}
