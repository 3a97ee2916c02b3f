import type { Agent, IncomingMessage } from "node:http";
import { brokenOff, headOf, requestTo, unreachable } from "../../network/index.js";
import { GatewayError } from "../../turn/error.js";
import { EnvelopeReader, encodeEnvelope } from "../cursor/envelope.js";
import { verdictByConnectCode } from "../cursor/error-table.js";
import { shownWords, toGatewayError } from "../cursor/errors.js";
import { parseEndFrame, type UpstreamFailure, withHeaders } from "../cursor/failure.js";
import { isProtobuf, readRefusal } from "../cursor/refusal.js";

interface ChatStream {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: Uint8Array;
  readonly agent: Agent;
  readonly signal: AbortSignal;
  onMessage(payload: Uint8Array): void;
  /** Called after all messages of a chunk. The next chunk is read when this resolves. */
  onChunk(): Promise<void>;
}

export class CallNotServed extends GatewayError {
  constructor(url: URL, how: string) {
    const text =
      `${url.origin} does not have Cursor's old chat call ${url.pathname} (${how}). ` +
      "Check CURSOR_URL, or use the agent backend: --backend agent.";
    super("upstream_error", text);
  }
}

/** Sends one message and reads all answers. @throws CallNotServed when the server lacks the call, or another GatewayError */
export async function readChat(stream: ChatStream): Promise<void> {
  const { url, headers, message, agent, signal, onMessage, onChunk } = stream;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    requestTo(url, { method: "POST", headers, agent, signal })
      .once("response", resolve)
      .once("error", (cause) => reject(unreachable(url.origin, cause)))
      .end(encodeEnvelope(message));
  });
  const { status, header } = headOf(response);
  const judge = (failure: UpstreamFailure) => judgeCall(failure, url);
  if (!isProtobuf(status, header("content-type"))) {
    let connectCode = "";
    const judgeBody = (failure: UpstreamFailure) => {
      ({ connectCode } = failure);
      return judge(failure);
    };
    const refusal = await new Promise<GatewayError>((resolve) =>
      readRefusal(response, { status, header }, judgeBody, resolve),
    );
    // A server without such a path may say anything. Errors of the call itself have a Connect code, such as `not_found`.
    throw status === 404 && !Object.hasOwn(verdictByConnectCode, connectCode)
      ? new CallNotServed(url, "HTTP status 404")
      : refusal;
  }
  let isWhole = false;
  const reader = new EnvelopeReader({
    message: (bytes, start, end) => onMessage(bytes.subarray(start, end)),
    end(json) {
      isWhole = true;
      const failure = parseEndFrame(json);
      if (failure !== undefined) throw judge(withHeaders(failure, header));
    },
  });
  for await (const chunk of response as AsyncIterable<Buffer>) {
    try {
      reader.push(chunk);
    } finally {
      await onChunk();
    }
  }
  if (!isWhole) throw brokenOff();
}

function judgeCall(failure: UpstreamFailure, url: URL): GatewayError {
  if (failure.connectCode === "unimplemented") return new CallNotServed(url, "unimplemented");
  const error = toGatewayError(failure);
  if (error.code !== "client_outdated") return error;
  const said = [failure.title, failure.detail].filter((part) => part !== "").join(": ") || failure.message;
  const text =
    `Cursor has retired the chat calls of its old clients (it says: ${shownWords(said).slice(0, 200)}). ` +
    "Use the agent backend: start Curlew with --backend agent, or remove the route to chat from the settings.";
  return new GatewayError("client_outdated", text);
}
