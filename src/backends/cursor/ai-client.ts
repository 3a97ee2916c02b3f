import { type Client, Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import type { TokenSource } from "../../auth/token.js";
import { AiService, ErrorDetailsSchema } from "../../gen/aiserver_v1_pb.js";
import type { Network } from "../../network/index.js";
import { GatewayError } from "../../turn/error.js";
import { toGatewayError } from "./errors.js";
import { noFailure, withDetails, withHeaders } from "./failure.js";
import { blockedNetwork, isWebPage } from "./web-page.js";

export type AiClient = Client<typeof AiService>;

/**
 * Unary calls go over HTTP/1.1, as Cursor's own clients send most of them. That also keeps us clear of connect-node's HTTP/2
 * session manager, which hangs when a connection closes while it verifies it with a PING.
 */
export function createAiClient(
  baseUrl: string,
  {
    tokens,
    headers,
    network,
  }: { tokens: TokenSource; headers: () => Record<string, string>; network: Pick<Network, "agentFor"> },
): AiClient {
  const signIn: Interceptor = (next) => async (request) => {
    for (const [name, value] of Object.entries(headers())) request.header.set(name, value);
    const token = await tokens.get(request.signal);
    request.header.set("authorization", `Bearer ${token}`);
    try {
      return await next(request);
    } catch (thrown) {
      if (ConnectError.from(thrown).code !== Code.Unauthenticated) throw thrown;
      request.header.set("authorization", `Bearer ${await tokens.renew(token, request.signal)}`);
      return next(request);
    }
  };
  const nodeOptions = { agent: network.agentFor(new URL(baseUrl)) };
  const transport = createConnectTransport({ baseUrl, httpVersion: "1.1", nodeOptions, interceptors: [signIn] });
  return createClient(AiService, transport);
}

/** The answer of a call, or what went wrong with it in the gateway's own words. */
export async function answerOf<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (thrown) {
    throw fromConnectError(thrown);
  }
}

function fromConnectError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const error = ConnectError.from(thrown);
  if (error.cause instanceof GatewayError) return error.cause;
  const details = error.findDetails(ErrorDetailsSchema)[0];
  const connectCode = Code[error.code]?.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase() ?? "";
  if (isWebPage(error.metadata.get("content-type") ?? "")) {
    return blockedNetwork(Number(/^HTTP (\d{3})$/.exec(error.rawMessage)?.[1] ?? 200));
  }
  const failure = { ...noFailure, connectCode, message: error.rawMessage };
  const whole = details === undefined ? failure : withDetails(failure, details);
  return toGatewayError(
    withHeaders(whole, (name) => error.metadata.get(name) ?? ""),
    { cause: thrown },
  );
}
