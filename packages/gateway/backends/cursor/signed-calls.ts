import { randomUUID } from "node:crypto";
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { GatewayError } from "../../turn/error.js";
import type { ClaimedClient } from "../backend-parts.js";
import { identityHeaders } from "./identity.js";
import { type Caller, type CallTarget, callInJson, callUnary } from "./unary.js";

interface Tokens {
  get(signal: AbortSignal): Promise<string>;
  /** Returns a new token after Cursor refused `token`. */
  renew(token: string, signal: AbortSignal): Promise<string>;
}

interface SignedCallDeps extends Omit<CallTarget, "userAgent"> {
  readonly tokens: Tokens;
  readonly client: ClaimedClient;
  readonly headers: () => Readonly<Record<string, string>>;
}

/** Calls of one account, which throw as `callUnary` does. A refused token is renewed once, a refused client replaced once. */
export interface SignedCalls {
  call<Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodUnary<Input, Output>,
    request: MessageInitShape<Input>,
    signal: AbortSignal,
  ): Promise<MessageShape<Output>>;
  callInJson(method: string, request: object, signal: AbortSignal): Promise<unknown>;
}

/** Calls of a command. It does not know the account's privacy mode, so it claims the strictest. */
export function commandCalls(deps: Omit<SignedCallDeps, "headers">): SignedCalls {
  const headers = () => identityHeaders({ version: deps.client.version, ghostMode: true });
  return signedCalls({ ...deps, headers });
}

export function signedCalls({ tokens, client, headers, ...target }: SignedCallDeps): SignedCalls {
  const signed = async <T>(signal: AbortSignal, call: (caller: Caller) => Promise<T>): Promise<T> => {
    const callAs = (token: string) => {
      const own = { ...headers(), "x-request-id": randomUUID() };
      return call({ ...target, userAgent: client.userAgent, token, headers: own, signal });
    };
    const token = await tokens.get(signal);
    const { version } = client;
    try {
      return await callAs(token);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      if (thrown.kind === "authentication") return callAs(await tokens.renew(token, signal));
      if (client.givesWay?.(thrown, version) === true) return callAs(token);
      throw thrown;
    }
  };
  return {
    call: (method, request, signal) => signed(signal, (caller) => callUnary(method, request, caller)),
    callInJson: (method, request, signal) => signed(signal, (caller) => callInJson(method, request, caller)),
  };
}
