import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { Network } from "../../network/index.js";
import { GatewayError } from "../../turn/error.js";
import { toGatewayError } from "./errors.js";
import { USER_AGENT } from "./identity.js";
import { parseJson } from "./json.js";
import { type AnswerHead, refusalOf } from "./refusal.js";
import { unreachable } from "./unreachable.js";
import { isProtobuf } from "./web-page.js";

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

/** A request outside Cursor's services: to its sign-in, or to its documented API. */
interface Question {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

export interface Answer extends AnswerHead {
  readonly body: Buffer;
}

/** Every unary call goes through here, over HTTP/1.1 as most do in Cursor's own clients. Only a network that fails throws. */
export async function ask(network: Pick<Network, "fetch">, url: URL, question: Question): Promise<Answer> {
  try {
    // A redirect is an error, because the credential goes nowhere else.
    const response = await network.fetch(url, { ...question, redirect: "error" });
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, header: (name) => response.headers.get(name) ?? "", body };
  } catch (cause) {
    const { aborted, reason } = question.signal;
    const hasLeft = aborted && !(reason instanceof Error && reason.name === "TimeoutError");
    if (hasLeft) throw new GatewayError("canceled", "The call to Cursor was canceled.", { cause });
    throw unreachable(url.origin, cause);
  }
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
