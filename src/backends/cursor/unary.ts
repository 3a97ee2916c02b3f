import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type Answer, ask, type Network } from "../../network/index.js";
import { parseJson } from "../../turn/read-json.js";
import { toGatewayError } from "./errors.js";
import { USER_AGENT } from "./identity.js";
import { isProtobuf, refusalOf } from "./refusal.js";

/** Where calls go that have one question and one answer. */
export interface CallTarget {
  readonly backendUrl: string;
  readonly network: Pick<Network, "fetch">;
}

interface Caller extends CallTarget {
  readonly token: string;
  /** What the caller says of itself besides. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The server is told, too, how long it has. */
  readonly timeoutMs?: number;
}

/** A call of one of Cursor's services. What Cursor refuses is thrown in the gateway's own words. */
export async function callUnary<Input extends DescMessage, Output extends DescMessage>(
  { parent, name, input, output }: DescMethodUnary<Input, Output>,
  request: MessageInitShape<Input>,
  caller: Caller,
): Promise<MessageShape<Output>> {
  const body = toBinary(input, create(input, request));
  const answer = await post(`${parent.typeName}/${name}`, "application/proto", body, caller);
  try {
    if (isProtobuf(answer.status, answer.header("content-type"))) return fromBinary(output, answer.body);
  } catch {
    // Whatever it is, Cursor did not write it.
  }
  throw refusalOf(answer, answer.body.toString("utf8"), toGatewayError);
}

/**
 * The same in JSON: there names decide, and the numbers of some fields of the account's calls rest on a single source. `method` is
 * the service's full name and the call's.
 */
export async function callInJson(method: string, request: object, caller: Caller): Promise<unknown> {
  const answer = await post(method, "application/json", JSON.stringify(request), caller);
  const text = answer.body.toString("utf8");
  const json = answer.status === 200 ? parseJson(text) : undefined;
  if (json === undefined) throw refusalOf(answer, text, toGatewayError);
  return json;
}

function post(
  method: string,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
  { backendUrl, network, token, headers, signal, timeoutMs }: Caller,
): Promise<Answer> {
  const limit = timeoutMs === undefined ? {} : { "connect-timeout-ms": String(timeoutMs) };
  const signals = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)];
  return ask(network, new URL(`/${method}`, backendUrl), {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": contentType,
      "connect-protocol-version": "1",
      "user-agent": USER_AGENT,
      ...limit,
      ...headers,
    },
    body,
    signal: AbortSignal.any(signals.filter((each) => each !== undefined)),
  });
}
