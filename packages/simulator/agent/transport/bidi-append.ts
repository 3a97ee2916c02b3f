import { gunzipSync } from "node:zlib";
import { fromBinary, fromJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type BidiAppendRequest, BidiAppendRequestSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { EnvelopeReader, encodeEnvelope } from "../../server/envelope.js";
import { BodyTooLarge, readBody, type SimRequest, type SimResponse, send } from "../../server/node-http.js";
import { sendRefusal } from "../../server/refusal.js";
import type { Appends } from "./appends.js";
import { GRPC_WEB, grpcWeb } from "./dialect.js";

/** Hex doubles the size of a message; compare the limit of an envelope. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;

/** Takes one client message of an HTTP/1.1 run. Errors in the message itself are reported on the run's stream, not here. */
export async function takeAppend(
  request: SimRequest,
  response: SimResponse,
  appends: Appends,
  isStrict: boolean,
): Promise<void> {
  const form = formOf(request.headers["content-type"] ?? "", isStrict);
  try {
    const body = inflate(await readBody(request, MAX_BODY_BYTES), request.headers["content-encoding"]);
    const append = form.decode(body);
    const { requestId, appendSeqno } = append;
    if (requestId === undefined || requestId.requestId === "") {
      throw new ConnectError("The request id is missing.", Code.InvalidArgument);
    }
    appends.append(requestId.requestId, Number(appendSeqno), payloadOf(append));
    form.confirm(response);
  } catch (thrown) {
    const tooLarge = thrown instanceof BodyTooLarge ? Code.ResourceExhausted : Code.Internal;
    form.refuse(response, ConnectError.from(thrown, tooLarge));
  }
}

/** How the body of an append and the answer to it are written. */
interface Form {
  decode(body: Buffer): BidiAppendRequest;
  confirm(response: SimResponse): void;
  refuse(response: SimResponse, error: ConnectError): void;
}

const proto: Form = {
  decode: (body) => parsed(() => fromBinary(BidiAppendRequestSchema, body)),
  confirm: (response) => send(response, 200, "application/proto", ""),
  refuse: sendRefusal,
};

const json: Form = {
  decode: (body) =>
    parsed(() => fromJsonString(BidiAppendRequestSchema, body.toString(), { ignoreUnknownFields: true })),
  confirm: (response) => send(response, 200, "application/json", "{}"),
  refuse: sendRefusal,
};

/** Some third-party gateways use this one, here as for the stream. */
const framed: Form = {
  decode: (body) => parsed(() => fromBinary(BidiAppendRequestSchema, onlyMessage(body))),
  confirm: (response) =>
    send(response, 200, GRPC_WEB, Buffer.concat([encodeEnvelope(0, new Uint8Array()), grpcWeb.endFrame(undefined)])),
  refuse: (response, error) => send(response, 200, GRPC_WEB, grpcWeb.endFrame(error)),
};

function formOf(contentType: string, isStrict: boolean): Form {
  if (contentType.startsWith("application/json")) return json;
  return contentType.startsWith(GRPC_WEB) && !isStrict ? framed : proto;
}

function onlyMessage(body: Buffer): Uint8Array {
  const [message] = new EnvelopeReader().push(body);
  if (message === undefined) throw new Error("the body has no whole frame");
  return message.payload;
}

function parsed(read: () => BidiAppendRequest): BidiAppendRequest {
  try {
    return read();
  } catch (cause) {
    throw new ConnectError(`parse: ${cause instanceof Error ? cause.message : cause}`, Code.InvalidArgument);
  }
}

function payloadOf({ data, dataBinary }: BidiAppendRequest): Uint8Array {
  if (data === "") return dataBinary;
  if (data.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(data)) {
    throw new ConnectError("The data is not hex.", Code.InvalidArgument);
  }
  return Buffer.from(data, "hex");
}

function inflate(body: Buffer, encoding: string | string[] | undefined): Buffer {
  if (encoding === undefined || encoding === "identity") return body;
  if (encoding !== "gzip") throw new ConnectError(`Unknown encoding: ${encoding}.`, Code.Unimplemented);
  try {
    return gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES });
  } catch {
    throw new ConnectError("The body is marked as gzip, but cannot be inflated.", Code.InvalidArgument);
  }
}
