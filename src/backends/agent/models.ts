import { type Client, Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import type { ModelDetails } from "../../gen/agent_v1_pb.js";
import { AiService, ErrorDetailsSchema } from "../../gen/aiserver_v1_pb.js";
import { GatewayError } from "../../turn/error.js";
import type { Model } from "../backend.js";
import { toGatewayError } from "./errors.js";
import { noFailure, withDetails } from "./failure.js";

/**
 * Unary calls go over HTTP/1.1, as Cursor's own clients send most of them. That also keeps us clear of connect-node's HTTP/2
 * session manager, which hangs when a connection closes while it verifies it with a PING.
 */
export function createAiClient(
  baseUrl: string,
  headers: () => Promise<Record<string, string>>,
): Client<typeof AiService> {
  const addHeaders: Interceptor = (next) => async (request) => {
    for (const [name, value] of Object.entries(await headers())) request.header.set(name, value);
    return next(request);
  };
  return createClient(AiService, createConnectTransport({ baseUrl, httpVersion: "1.1", interceptors: [addHeaders] }));
}

export async function listModels(client: Client<typeof AiService>, signal: AbortSignal): Promise<Model[]> {
  try {
    const { models } = await client.getUsableModels({}, { signal });
    return models.map(toModel);
  } catch (thrown) {
    throw fromConnectError(thrown);
  }
}

function toModel(details: ModelDetails): Model {
  const others = [details.displayModelId, ...details.aliases].filter((name) => name !== "" && name !== details.modelId);
  return {
    id: details.modelId,
    name: details.displayName || details.modelId,
    aliases: [...new Set(others)],
    canThink: details.thinkingDetails !== undefined,
  };
}

function fromConnectError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const error = ConnectError.from(thrown);
  if (error.cause instanceof GatewayError) return error.cause;
  const details = error.findDetails(ErrorDetailsSchema)[0];
  const connectCode = Code[error.code]?.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase() ?? "";
  const failure = { ...noFailure, connectCode, message: error.rawMessage };
  return toGatewayError(details === undefined ? failure : withDetails(failure, details), thrown);
}
