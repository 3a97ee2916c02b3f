import type { IncomingHttpHeaders } from "node:http";
import type { Caller, KeyRing } from "../keys/index.js";
import { GatewayError } from "../turn/error.js";
import type { Identify } from "./guard.js";
import { bearerOf, warnOfCredential } from "./pass-through.js";

/** In pass-through mode the usual headers carry a credential for Cursor. */
interface KeyLocation {
  readonly isPassThrough: boolean;
}

/** The caller whose key a request shows. Undefined if the gateway asks for a key and the request shows none of its keys. */
export type FindCaller = (headers: IncomingHttpHeaders) => Caller | undefined;

export function callerFinder(keys: Pick<KeyRing, "anybody" | "find">, { isPassThrough }: KeyLocation): FindCaller {
  const find = (shown: string | string[] | undefined) => (typeof shown === "string" ? keys.find(shown) : undefined);
  return (headers) => {
    const { anybody } = keys;
    if (anybody !== undefined) return anybody;
    if (isPassThrough) return find(headers["x-curlew-key"]);
    const bearer = bearerOf(headers);
    const apiKey = headers["x-api-key"];
    // Some clients send both, and mostly the same.
    return find(bearer) ?? (apiKey === bearer ? undefined : find(apiKey));
  };
}

/** @throws {GatewayError} `invalid_gateway_key`, thrown by the function that it returns. */
export function callerOf(
  findCaller: FindCaller,
  { isPassThrough }: KeyLocation,
): (headers: IncomingHttpHeaders) => Caller {
  const how = isPassThrough
    ? "in the header `x-curlew-key: <key>`"
    : "as the client's API key (`Authorization: Bearer <key>` or `x-api-key: <key>`)";
  const what = `Send the value of CURLEW_KEY, or a key made by \`curlew keys add\`, ${how}.`;
  return (headers) => {
    const caller = findCaller(headers);
    if (caller !== undefined) return caller;
    const problem = hasKey(headers, isPassThrough)
      ? "The key of this request is not a key of this gateway."
      : "This gateway requires its own key, and the request has none.";
    const hints = isPassThrough ? [] : warnOfCredential(headers);
    throw new GatewayError("invalid_gateway_key", [problem, what, ...hints].join(" "));
  };
}

/** What a request shows is not looked at here: whoever guesses a key learns only that it is wrong. */
function hasKey(headers: IncomingHttpHeaders, isPassThrough: boolean): boolean {
  return Boolean(isPassThrough ? headers["x-curlew-key"] : bearerOf(headers) || headers["x-api-key"]);
}

/** @throws {GatewayError} `invalid_gateway_key`, thrown by the guard. */
export function guardKey(callerOfHeaders: (headers: IncomingHttpHeaders) => Caller): Identify {
  return ({ headers }, outgoing) => {
    try {
      return callerOfHeaders(headers);
    } catch (thrown) {
      outgoing.setHeader("www-authenticate", "Bearer");
      throw thrown;
    }
  };
}
