import { type IncomingMessage, request as requestHttp1 } from "node:http";
import { constants } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { GRPC_WEB } from "../../packages/simulator/agent/transport/dialect.js";
import { encodeEnvelope } from "../../packages/simulator/server/envelope.js";
import { BidiRequestIdSchema } from "../../packages/wire/gen/agent_v1_pb.js";
import { BidiAppendRequestSchema } from "../../packages/wire/gen/aiserver_v1_pb.js";
import { type Stand, TOKEN } from "./stand.js";

/** One agent stream on either transport, as bytes. */
export interface Line {
  send(payload: Uint8Array): void;
  pause(): void;
  resume(): void;
  reset(): void;
}

type Encode = (flags: number, payload: Uint8Array) => Buffer;

export interface LineEvents {
  onData(chunk: Buffer, status: number): void;
  onEnd(status: number): void;
}

export function openHttp2(
  stand: Stand,
  headers: Record<string, string>,
  _id: string,
  encode: Encode,
  events: LineEvents,
): Line {
  const stream = stand.http2.request({ ":method": "POST", ":path": "/agent.v1.AgentService/Run", ...headers });
  let status = 0;
  stream.on("response", (response) => {
    status = response[":status"] ?? 0;
  });
  stream.on("data", (chunk: Buffer) => events.onData(chunk, status));
  stream.on("error", () => {});
  stream.on("end", () => stream.end());
  stream.on("close", () => events.onEnd(status));
  return {
    send: (payload) => void stream.write(encode(0, payload)),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    reset: () => stream.close(constants.NGHTTP2_CANCEL),
  };
}

export function openHttp1(
  stand: Stand,
  headers: Record<string, string>,
  requestId: string,
  encode: Encode,
  events: LineEvents,
): Line {
  let incoming: IncomingMessage | undefined;
  const sse = requestHttp1(`${stand.http1}/agent.v1.AgentService/RunSSE`, { method: "POST", headers }, (response) => {
    incoming = response;
    const status = response.statusCode ?? 0;
    response.on("data", (chunk: Buffer) => events.onData(chunk, status));
    response.on("error", () => {});
    response.on("close", () => events.onEnd(status));
  });
  sse.on("error", () => events.onEnd(0));
  sse.end(encode(0, toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId }))));
  let seqno = 0;
  return {
    send(payload) {
      // Closing the server cuts off appends; the stream shows what matters.
      postAppend(stand, requestId, seqno, payload, headers["content-type"]).catch(() => {});
      seqno += 1;
    },
    pause: () => void incoming?.pause(),
    resume: () => void incoming?.resume(),
    reset: () => sse.destroy(),
  };
}

/** Sends one append; resolves with the status and the body of its answer. */
export async function postAppend(
  stand: Stand,
  requestId: string,
  seqno: number,
  payload: Uint8Array,
  streamType = "application/connect+proto",
): Promise<{ status: number; body: string }> {
  // A gRPC-Web client frames its appends like its stream.
  const isFramed = streamType === GRPC_WEB;
  const append = create(BidiAppendRequestSchema, {
    data: Buffer.from(payload).toString("hex"),
    requestId: { requestId },
    appendSeqno: BigInt(seqno),
  });
  const body = Buffer.from(toBinary(BidiAppendRequestSchema, append));
  const response = await fetch(`${stand.http1}/aiserver.v1.BidiService/BidiAppend`, {
    method: "POST",
    headers: { authorization: TOKEN, "content-type": isFramed ? GRPC_WEB : "application/proto" },
    body: isFramed ? encodeEnvelope(0, body) : body,
  });
  return { status: response.status, body: await response.text() };
}
