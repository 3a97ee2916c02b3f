import { gunzipSync } from "node:zlib";
import { fromBinary, fromJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type BidiAppendRequest, BidiAppendRequestSchema } from "../../../src/gen/aiserver_v1_pb.js";
import { BodyTooLarge, readBody, type SimRequest, type SimResponse, send } from "../../node-http.js";
import { sendRefusal } from "../../refusal.js";
import type { Appends } from "./appends.js";

/** Hex doubles the size of a message; compare the limit of an envelope. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;

/** Takes one client message of an HTTP/1.1 run. Errors in the message itself are reported on the run's stream, not here. */
export async function takeAppend(request: SimRequest, response: SimResponse, appends: Appends): Promise<void> {
  try {
    const isJson = (request.headers["content-type"] ?? "").startsWith("application/json");
    const body = inflate(await readBody(request, MAX_BODY_BYTES), request.headers["content-encoding"]);
    const append = decode(body, isJson);
    const { requestId, appendSeqno } = append;
    if (requestId === undefined || requestId.requestId === "") {
      throw new ConnectError("The request id is missing.", Code.InvalidArgument);
    }
    appends.append(requestId.requestId, Number(appendSeqno), payloadOf(append));
    if (isJson) send(response, 200, "application/json", "{}");
    else send(response, 200, "application/proto", "");
  } catch (thrown) {
    const tooLarge = thrown instanceof BodyTooLarge ? Code.ResourceExhausted : Code.Internal;
    sendRefusal(response, ConnectError.from(thrown, tooLarge));
  }
}

function decode(body: Uint8Array, isJson: boolean): BidiAppendRequest {
  try {
    if (!isJson) return fromBinary(BidiAppendRequestSchema, body);
    return fromJsonString(BidiAppendRequestSchema, Buffer.from(body).toString(), { ignoreUnknownFields: true });
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
  if (encoding !== "gzip") throw new ConnectError(`There is no encoding ${encoding} here.`, Code.Unimplemented);
  try {
    return gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES });
  } catch {
    throw new ConnectError("The body is marked as gzip and cannot be inflated.", Code.InvalidArgument);
  }
}
