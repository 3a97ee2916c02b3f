import { fromBinary } from "@bufbuild/protobuf";
import { type ErrorDetails, ErrorDetails_Error, ErrorDetailsSchema } from "../../gen/aiserver_v1_pb.js";

/** What Cursor said of a failure, from whichever place it said it. */
export interface UpstreamFailure {
  /** The Connect code, e.g. `resource_exhausted`; empty when there is none. */
  connectCode: string;
  message: string;
  error: number;
  title: string;
  detail: string;
  isRetryable: boolean | undefined;
  additionalInfo: Readonly<Record<string, string>>;
}

/** The JSON of an end frame; undefined when it says that all went well. */
export function parseEndFrame(json: string): UpstreamFailure | undefined {
  let end: unknown;
  try {
    end = JSON.parse(json || "{}");
  } catch {
    return { ...noFailure, connectCode: "internal", message: "the end of the stream cannot be read" };
  }
  const error = field(end, "error");
  return error === undefined || error === null ? undefined : parseConnectError(error);
}

/** A Connect error object: the inner part of an end frame, or the body of a failed unary call. */
export function parseConnectError(error: unknown): UpstreamFailure {
  const details = field(error, "details");
  const list = Array.isArray(details) ? details : [];
  const ours = list.find((each) => text(field(each, "type")).endsWith("aiserver.v1.ErrorDetails"));
  const failure = { ...noFailure, connectCode: text(field(error, "code")), message: text(field(error, "message")) };
  if (failure.message === "Error") failure.message = "";
  if (ours === undefined) return failure;
  const decoded = decodeDetails(text(field(ours, "value")));
  return decoded === undefined ? withDebug(failure, field(ours, "debug")) : withDetails(failure, decoded);
}

export function withDetails(failure: UpstreamFailure, details: ErrorDetails): UpstreamFailure {
  return {
    ...failure,
    error: details.error,
    title: details.details?.title ?? "",
    detail: details.details?.detail ?? "",
    isRetryable: details.details?.isRetryable,
    additionalInfo: details.details?.additionalInfo ?? {},
  };
}

export const noFailure: UpstreamFailure = {
  connectCode: "",
  message: "",
  error: 0,
  title: "",
  detail: "",
  isRetryable: undefined,
  additionalInfo: {},
};

function decodeDetails(base64: string): ErrorDetails | undefined {
  if (base64 === "") return undefined;
  try {
    return fromBinary(ErrorDetailsSchema, Buffer.from(base64, "base64"));
  } catch {
    return undefined;
  }
}

/** The same facts in their JSON form, for answers whose `value` is missing or damaged. */
function withDebug(failure: UpstreamFailure, debug: unknown): UpstreamFailure {
  const details = field(debug, "details");
  const info = field(details, "additionalInfo");
  const isRetryable = field(details, "isRetryable");
  const name = text(field(debug, "error")).replace(/^ERROR_/, "");
  return {
    ...failure,
    error: (ErrorDetails_Error as Readonly<Record<string, number>>)[name] ?? 0,
    title: text(field(details, "title")),
    detail: text(field(details, "detail")),
    isRetryable: typeof isRetryable === "boolean" ? isRetryable : undefined,
    additionalInfo: Object.fromEntries(Object.entries(info ?? {}).map(([key, value]) => [key, String(value)])),
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
