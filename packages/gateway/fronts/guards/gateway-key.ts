import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Account, Caller, Keys } from "../../core/index.js";
import { GatewayError } from "../../turn/error.js";
import type { Guard } from "../http/router.js";
import type { KeyAttempts } from "./key-attempts.js";

interface KeyRules {
  /** In pass-through mode the usual headers carry a credential for Cursor. */
  readonly isPassThrough: boolean;
  readonly attempts: Pick<KeyAttempts, "admits" | "check" | "countWrong">;
}

type Incoming = Pick<IncomingMessage, "headers" | "socket">;

/** The caller whose key a request sends. Undefined if the gateway requires a key and the request has none of its keys. */
type FindCaller = (incoming: Incoming) => Caller | undefined;

export function callerFinder(keys: Keys, { isPassThrough, attempts }: KeyRules): FindCaller {
  const find = (shown: string | string[] | undefined, { remoteAddress: address = "" }: Incoming["socket"]) => {
    const caller = typeof shown === "string" ? keys.find(shown) : undefined;
    if (caller === undefined && typeof shown === "string") attempts.countWrong(address, shown);
    // The gateway's own key has no name. It may be a chosen password, so guesses are limited.
    if (caller !== undefined && caller.name === undefined && !attempts.admits(address)) return undefined;
    return caller;
  };
  return ({ headers, socket }) => {
    const { anonymous } = keys;
    if (anonymous !== undefined) return anonymous;
    if (isPassThrough) return find(headers["x-curlew-key"], socket);
    const bearer = bearerOf(headers);
    const apiKey = headers["x-api-key"];
    // Some clients send both, mostly with the same key.
    return find(bearer, socket) ?? (apiKey === bearer ? undefined : find(apiKey, socket));
  };
}

/** @throws {GatewayError} `invalid_gateway_key` or `rate_limit_exceeded`, thrown by the function that it returns. */
export function callerOf(
  findCaller: FindCaller,
  { isPassThrough, attempts }: KeyRules,
): (incoming: Incoming) => Caller {
  const how = isPassThrough
    ? "in the header `x-curlew-key: <key>`"
    : "as the client's API key (`Authorization: Bearer <key>` or `x-api-key: <key>`)";
  const what = `Send the value of CURLEW_KEY, or a key made by \`curlew keys add\`, ${how}.`;
  return (incoming) => {
    const caller = findCaller(incoming);
    if (caller !== undefined) return caller;
    const { headers, socket } = incoming;
    const isShown = hasKey(headers, isPassThrough);
    if (isShown) attempts.check(socket.remoteAddress ?? "", "use a key made by: curlew keys add NAME");
    const problem = isShown
      ? "The key of this request is not a key of this gateway."
      : "This gateway requires its own key, and the request has none.";
    const hints = isPassThrough ? [] : warnOfCredential(headers);
    throw new GatewayError("invalid_gateway_key", [problem, what, ...hints].join(" "));
  };
}

/** Finds the caller only if it is the owner, without a named key or its own account: totals of all clients are for the owner. */
export function ownerFinder(findCaller: FindCaller, { isPassThrough }: Pick<KeyRules, "isPassThrough">): FindCaller {
  return (incoming) => {
    const caller = isPassThrough && credentialOf(incoming.headers) ? undefined : findCaller(incoming);
    return caller?.name === undefined ? caller : undefined;
  };
}

/** Does not look at the key itself: the error reveals only that it is wrong. */
function hasKey(headers: IncomingHttpHeaders, isPassThrough: boolean): boolean {
  return Boolean(isPassThrough ? headers["x-curlew-key"] : bearerOf(headers) || headers["x-api-key"]);
}

/** Records the caller of a request. @throws {GatewayError} `invalid_gateway_key` or `rate_limit_exceeded`, thrown by the guard. */
export function guardKey(
  callerOfRequest: (incoming: IncomingMessage) => Caller,
  note: (record: Parameters<Guard>[2], incoming: IncomingMessage, caller: Caller) => void,
): Guard {
  return (incoming, outgoing, record) => {
    try {
      note(record, incoming, callerOfRequest(incoming));
    } catch (thrown) {
      outgoing.setHeader("www-authenticate", "Bearer");
      throw thrown;
    }
  };
}

/** Cursor's web cookie in the forms that browsers show, or one of Cursor's API keys. */
const CURSOR_CREDENTIAL = /^(?:WorkosCursorSessionToken=|user_\w+(?:::|%3A%3A)|crsr_)/i;
const IGNORED =
  "The API key of this request looks like a credential of Cursor, which is not used here. Start the gateway with --pass-through to have each request use its own.";

export function warnOfCredential(headers: IncomingHttpHeaders): readonly string[] {
  const shown = bearerOf(headers) ?? headers["x-api-key"];
  return typeof shown === "string" && CURSOR_CREDENTIAL.test(shown) ? [IGNORED] : [];
}

/** Pass-through mode: the API key of a request is the caller's own credential for Cursor. */
export function requestAccounts(
  accountOfCredential: (credential: string) => Account,
): (headers: IncomingHttpHeaders) => Account | undefined {
  return (headers) => {
    const credential = credentialOf(headers);
    return credential ? accountOfCredential(credential) : undefined;
  };
}

function credentialOf(headers: IncomingHttpHeaders): string | undefined {
  const apiKey = headers["x-api-key"];
  return bearerOf(headers) ?? (typeof apiKey === "string" ? apiKey.trim() : undefined);
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  if (authorization === undefined || !/^bearer /i.test(authorization)) return undefined;
  return authorization.slice("bearer ".length).trim();
}
