import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, errorToJson } from "@connectrpc/connect/protocol-connect";
import {
  type CustomErrorDetailsSchema,
  ErrorDetails_Error,
  ErrorDetailsSchema,
} from "@curlew/wire/gen/aiserver_v1_pb.js";
import { type SimResponse, send } from "./node-http.js";

/**
 * A failure as Cursor words it: the message is the bare word "Error", and the text for people is in the details
 * (docs/protocol/wire.md, errors).
 */
export function refusal(
  code: Code,
  error: ErrorDetails_Error,
  details: MessageInitShape<typeof CustomErrorDetailsSchema>,
): ConnectError {
  return new ConnectError("Error", code, undefined, [
    { desc: ErrorDetailsSchema, value: { error, details: { isRetryable: false, ...details }, isExpected: true } },
  ]);
}

export function badModel(name: string): ConnectError {
  return refusal(Code.NotFound, ErrorDetails_Error.BAD_MODEL_NAME, {
    title: "AI Model Not Found",
    detail: `Model name is not valid: "${name}"`,
  });
}

/** Sends the error of a unary call, which is JSON even when the request was protobuf. */
export function sendRefusal(response: SimResponse, error: ConnectError): void {
  send(response, codeToHttpStatus(error.code), "application/json", JSON.stringify(errorToJson(error, undefined)));
}
