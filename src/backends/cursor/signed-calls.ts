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

/**
 * Calls of one account. Each is repeated once with a new token if Cursor refuses the first.
 * They throw GatewayError as `callUnary` does.
 */
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

export function signedCalls({ tokens, headers, ...target }: SignedCallDeps): SignedCalls {
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
