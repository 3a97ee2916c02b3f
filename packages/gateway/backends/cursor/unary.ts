import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { ask, type HttpResponse, type Network } from "../../network/index.js";
import { anySignal } from "../../turn/any-signal.js";
import { parseJson } from "../../turn/read-json.js";
import { toGatewayError } from "./errors.js";
import { isProtobuf, refusalOf } from "./refusal.js";

export interface CallTarget {
  readonly backendUrl: string;
  /** That of the client we claim to be (docs/protocol/wire.md, headers). */
  readonly userAgent: string;
  readonly network: Pick<Network, "fetch">;
}

export interface Caller extends CallTarget {
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The time limit, also sent to the server. */
  readonly timeoutMs?: number;
}

/** @throws GatewayError for Cursor's refusals and for a network that fails */
export async function callUnary<Input extends DescMessage, Output extends DescMessage>(
  { parent, name, input, output }: DescMethodUnary<Input, Output>,
  request: MessageInitShape<Input>,
  caller: Caller,
): Promise<MessageShape<Output>> {
  const body = toBinary(input, create(input, request));
  const response = await post(`${parent.typeName}/${name}`, "application/proto", body, caller);
  try {
    if (isProtobuf(response.status, response.header("content-type"))) return fromBinary(output, response.body);
  } catch {
    // Something other than Cursor wrote this response.
  }
  throw refusalOf(response, response.body.toString("utf8"), toGatewayError);
}

/** The same with JSON's field names: the numbers of some fields in the account's calls rest on a single source. @throws GatewayError */
export async function callInJson(method: string, request: object, caller: Caller): Promise<unknown> {
  const response = await post(method, "application/json", JSON.stringify(request), caller);
  const text = response.body.toString("utf8");
  const json = response.status === 200 ? parseJson(text) : undefined;
  if (json === undefined) throw refusalOf(response, text, toGatewayError);
  return json;
}

function post(
  method: string,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
  { backendUrl, userAgent, network, token, headers, signal, timeoutMs }: Caller,
): Promise<HttpResponse> {
  const limit = timeoutMs === undefined ? {} : { "connect-timeout-ms": String(timeoutMs) };
  const signals = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)];
  return ask(network, new URL(`/${method}`, backendUrl), {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": contentType,
      "connect-protocol-version": "1",
      "user-agent": userAgent,
      ...limit,
      ...headers,
    },
    body,
    signal: anySignal(signals.filter((each) => each !== undefined)),
  });
}
