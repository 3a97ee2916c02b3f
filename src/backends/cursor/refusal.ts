import type { Readable } from "node:stream";
import { type AnswerHead, blockedNetwork, isWebPage } from "../../network/index.js";
import { GatewayError } from "../../turn/error.js";
import { parseJson } from "../../turn/read-json.js";
import { noFailure, parseConnectError, type UpstreamFailure, withHeaders } from "./failure.js";
import { retryAfterMs } from "./retry-after.js";

/** What a failure that Cursor tells means for the one who asked. */
export type Judge = (failure: UpstreamFailure) => GatewayError;

/** The way to Cursor is open, but not for a run over HTTP/2. Nothing of the run has been taken in. */
export class Http2Refused extends GatewayError {}

const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** What Cursor's load balancer answers where a call in both directions cannot pass. */
const UNBALANCEABLE = 464;

/** What is no stream where one belongs, read to its end and told in our own words. */
export function readRefusal(
  body: Readable,
  head: AnswerHead,
  judge: Judge,
  onRead: (refusal: GatewayError) => void,
): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  body.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_ERROR_BODY_BYTES) parts.push(chunk);
  });
  body.once("end", () => onRead(refusalOf(head, Buffer.concat(parts).toString("utf8"), judge)));
}

/** A Connect error in JSON, or whatever stands between us and Cursor. */
export function refusalOf({ status, header }: AnswerHead, body: string, judge: Judge): GatewayError {
  if (isWebPage(header("content-type"), body)) return blockedNetwork(status);
  const parsed = parseJson(body);
  if (typeof parsed === "object" && parsed !== null && "code" in parsed) {
    return judge(withHeaders(parseConnectError(parsed), header));
  }
  if (status === 200) return blockedNetwork(status, "something else than Cursor's words");
  const connectCode = status === 401 ? "unauthenticated" : status === 429 ? "resource_exhausted" : "";
  if (connectCode !== "") return judge(withHeaders({ ...noFailure, connectCode }, header));
  const text = `Cursor answered with HTTP status ${status}.`;
  if (status === UNBALANCEABLE) {
    return new Http2Refused("upstream_error", `${text} It wants HTTP/1.1: set CURLEW_TRANSPORT to h1 or auto.`);
  }
  const wait = retryAfterMs({ ...noFailure, retryAfter: header("retry-after") }, Date.now());
  const code = status === 503 ? "upstream_overloaded" : "upstream_error";
  return new GatewayError(code, text, {
    isRetryable: status >= 500,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/**
 * Whether what follows is Cursor's own answer in protobuf: a message, or a stream of frames. Any type may be one, or none at all:
 * only what is clearly meant for something else is not, because somebody answers in Cursor's place.
 */
export function isProtobuf(status: number, contentType: string): boolean {
  return status === 200 && !/^(?:text\/(?!event-stream)|application\/json)/i.test(contentType);
}
