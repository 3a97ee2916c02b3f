import { randomUUID } from "node:crypto";
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { GatewayError } from "../../turn/error.js";
import { identityHeaders } from "./identity.js";
import { type CallTarget, callInJson, callUnary } from "./unary.js";

interface Tokens {
  get(signal: AbortSignal): Promise<string>;
  /** Returns a new token after Cursor refused `token`. */
  renew(token: string, signal: AbortSignal): Promise<string>;
}

interface SignedCallDeps extends CallTarget {
  readonly tokens: Tokens;
  readonly headers: () => Readonly<Record<string, string>>;
}

/** Calls of one account, which throw as `callUnary` does. A refused token is renewed once. */
export interface SignedCalls {
  call<Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodUnary<Input, Output>,
    request: MessageInitShape<Input>,
    signal: AbortSignal,
  ): Promise<MessageShape<Output>>;
  callInJson(method: string, request: object, signal: AbortSignal): Promise<unknown>;
}

/** Calls of a command. It does not know the account's privacy mode, so it claims the strictest. */
export function commandCalls({
  clientVersion: version,
  ...deps
}: Omit<SignedCallDeps, "headers"> & { readonly clientVersion: string }): SignedCalls {
  return signedCalls({ ...deps, headers: () => identityHeaders({ version, ghostMode: true }) });
}

export function signedCalls({ tokens, headers: identity, ...target }: SignedCallDeps): SignedCalls {
  const headers = () => ({ ...identity(), "x-request-id": randomUUID() });
  const signed = async <T>(signal: AbortSignal, call: (token: string) => Promise<T>): Promise<T> => {
    const token = await tokens.get(signal);
    try {
      return await call(token);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.kind !== "authentication") throw thrown;
      return call(await tokens.renew(token, signal));
    }
  };
  return {
    call: (method, request, signal) =>
      signed(signal, (token) => callUnary(method, request, { ...target, token, headers: headers(), signal })),
    callInJson: (method, request, signal) =>
      signed(signal, (token) => callInJson(method, request, { ...target, token, headers: headers(), signal })),
  };
}
