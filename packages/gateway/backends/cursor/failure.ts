import { fromBinary } from "@bufbuild/protobuf";
import { type ErrorDetails, ErrorDetails_Error, ErrorDetailsSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { field, listField, parseJson, textField } from "../../turn/read-json.js";

export const noFailure = {
  /** The Connect code, e.g. `resource_exhausted`, or empty. */
  connectCode: "",
  message: "",
  error: 0,
  title: "",
  detail: "",
  isRetryable: undefined as boolean | undefined,
  additionalInfo: {} as Readonly<Record<string, string>>,
  /** What Cursor's own window would offer: the words and the address of its first button, and names of plans. */
  button: { label: "", url: "" },
  planChoices: [] as readonly string[],
  /** Whether it came with details, or as a bare code. */
  hasDetails: false,
  retryAfter: "",
};

/** A failure as Cursor reported it, in an end frame, in a body or in headers. */
export type UpstreamFailure = typeof noFailure;

/** Parses the JSON of an end frame. Returns undefined for a good end. */
export function parseEndFrame(json: string): UpstreamFailure | undefined {
  const end = parseJson(json || "{}");
  if (end === undefined) {
    return { ...noFailure, connectCode: "internal", message: "the end of the stream cannot be read" };
  }
  const error = field(end, "error");
  if (error === undefined || error === null) return undefined;
  const metadata = field(end, "metadata");
  return withHeaders(parseConnectError(error), (name) => text([field(metadata, name)].flat()[0]));
}

/** Adds what the headers say beyond the error itself. In a stream they may come with its end. */
export function withHeaders(failure: UpstreamFailure, header: (name: string) => string): UpstreamFailure {
  const kind = header("x-cursor-inference-request-error-type");
  return {
    ...failure,
    retryAfter: failure.retryAfter || header("retry-after"),
    // The header helps only where the error has no details.
    error: failure.hasDetails ? failure.error : (errorNumbers[kind.replace(/^ERROR_/, "")] ?? failure.error),
  };
}

/** Parses a Connect error object: the inner part of an end frame, or the body of a failed unary call. */
export function parseConnectError(error: unknown): UpstreamFailure {
  const ours = listField(error, "details").find((each) => textField(each, "type").endsWith("aiserver.v1.ErrorDetails"));
  const failure = { ...noFailure, connectCode: textField(error, "code"), message: textField(error, "message") };
  if (failure.message === "Error") failure.message = "";
  if (ours === undefined) return failure;
  const decoded = decodeDetails(textField(ours, "value"));
  return decoded === undefined ? withDebug(failure, field(ours, "debug")) : withDetails(failure, decoded);
}

function withDetails(failure: UpstreamFailure, { error, details }: ErrorDetails): UpstreamFailure {
  const { title = "", detail = "", isRetryable, additionalInfo = {} } = details ?? {};
  const [{ label = "", action = undefined } = {}] = details?.buttons ?? [];
  const button = { label, url: action?.case === "url" ? action.value.url : "" };
  const planChoices = (details?.planChoices ?? []).map((choice) => choice.label);
  return { ...failure, hasDetails: true, error, title, detail, isRetryable, additionalInfo, button, planChoices };
}

const errorNumbers = ErrorDetails_Error as Readonly<Record<string, number>>;

function decodeDetails(base64: string): ErrorDetails | undefined {
  if (base64 === "") return undefined;
  try {
    return fromBinary(ErrorDetailsSchema, Buffer.from(base64, "base64"));
  } catch {
    return undefined;
  }
}

/** Reads the details from their JSON form, for errors whose `value` is missing or damaged. */
function withDebug(failure: UpstreamFailure, debug: unknown): UpstreamFailure {
  const details = field(debug, "details");
  const additional = field(details, "additionalInfo");
  const isRetryable = field(details, "isRetryable");
  const [button] = listField(details, "buttons");
  const error = field(debug, "error");
  return {
    ...failure,
    hasDetails: true,
    // A number without a name yet is written as a number.
    error: typeof error === "number" ? error : (errorNumbers[text(error).replace(/^ERROR_/, "")] ?? 0),
    title: textField(details, "title"),
    detail: textField(details, "detail"),
    isRetryable: typeof isRetryable === "boolean" ? isRetryable : undefined,
    additionalInfo: Object.fromEntries(Object.entries(additional ?? {}).map(([key, value]) => [key, String(value)])),
    button: { label: textField(button, "label"), url: textField(field(button, "url"), "url") },
    planChoices: listField(details, "planChoices").map((choice) => textField(choice, "label")),
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A date further away is a misreading. */
const LONGEST_MS = 400 * 24 * 60 * 60_000;

/** How long Cursor asks to wait: in the error's additional info, in a header, or in its words; undefined if it does not. */
export function retryAfterMs(failure: UpstreamFailure, nowMs: number): number | undefined {
  const { additionalInfo, retryAfter, detail, title, message } = failure;
  const candidates = [
    ...Object.entries(additionalInfo).map(([name, value]) => toWait(name, value, nowMs)),
    toWait("retry-after", retryAfter, nowMs),
    dateIn(`${title}. ${detail}. ${message}`, nowMs),
  ];
  return candidates.find((wait) => wait !== undefined && wait > 0 && wait < LONGEST_MS);
}

function toWait(name: string, value: string, nowMs: number): number | undefined {
  const key = name.toLowerCase().replace(/[-_]/g, "");
  if (key === "retryafterms") return Number(value);
  if (key === "resetat" || key === "resetatms") return (Number(value) || Date.parse(value)) - nowMs;
  if (key !== "retryafter" && key !== "retryafterseconds") return undefined;
  return /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
}

/** "You can return on December 1, 2026" */
function dateIn(text: string, nowMs: number): number | undefined {
  const after = text
    .split(".")
    .map(afterOnOrAt)
    .find((each) => each !== undefined);
  const words = (after ?? "").trim().split(/\s+/).slice(0, 6);
  for (let count = words.length; count > 0; count--) {
    const date = Date.parse(words.slice(0, count).join(" ").replace(/,$/, ""));
    if (!Number.isNaN(date)) return date - nowMs;
  }
  return undefined;
}

function afterOnOrAt(sentence: string): string | undefined {
  const at = sentence.search(/\b(?:return|returns|reset|resets|renew|renews|again)\b/i);
  return at === -1 ? undefined : /\b(?:on|at) ([^!;()]+)/i.exec(sentence.slice(at))?.[1];
}
