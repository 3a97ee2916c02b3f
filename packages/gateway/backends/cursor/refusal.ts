import type { Readable } from "node:stream";
import { blockedNetwork, isForeign, type ResponseHead } from "../../network/index.js";
import { GatewayError } from "../../turn/error.js";
import { parseJson } from "../../turn/read-json.js";
import { noFailure, parseConnectError, retryAfterMs, type UpstreamFailure, withHeaders } from "./failure.js";

export type Judge = (failure: UpstreamFailure) => GatewayError;

/** Cursor is reachable, but not for a run over HTTP/2. The server has taken nothing of the run. */
export class Http2Refused extends GatewayError {}

export const REGION_ADVICE =
  "Cursor names the agent host of each account itself, so unset CURSOR_AGENT_URL if it is set; then ask your team's admin which regions are allowed.";
const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** The status with which Cursor's load balancer refuses a bidirectional call over HTTP/1.1 (docs/protocol/wire.md, hosts). */
const UNBALANCEABLE = 464;

/** Reads a response that is not the expected stream to its end and converts it to an error. */
export function readRefusal(
  body: Readable,
  head: ResponseHead,
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

/** Status 200 and the end of the stream: accounts of another region get that (docs/protocol/live-behaviour.md). */
export function closedAtOnce(): GatewayError {
  const text = "Cursor took the run and closed it without an answer, as it does for accounts of another region.";
  return new GatewayError("unsupported_region", `${text} ${REGION_ADVICE}`);
}

/** Converts a Connect error in JSON, or the page of something between us and Cursor, to an error. */
export function refusalOf({ status, header }: ResponseHead, body: string, judge: Judge): GatewayError {
  if (isForeign(status, header("content-type"), body)) return blockedNetwork(status, undefined, header("location"));
  const parsed = parseJson(body);
  if (typeof parsed === "object" && parsed !== null && "code" in parsed) {
    return judge(withHeaders(parseConnectError(parsed), header));
  }
  if (status === 200) return blockedNetwork(status, "an unexpected response");
  const connectCode = status === 401 ? "unauthenticated" : status === 429 ? "resource_exhausted" : "";
  if (connectCode !== "")
    return judge(withHeaders({ ...noFailure, connectCode, message: `HTTP status ${status}` }, header));
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

/** Accepts unknown and missing content types: only a clearly different type means that another server answered. */
export function isProtobuf(status: number, contentType: string): boolean {
  return status === 200 && !/^(?:text\/(?!event-stream)|application\/json)/i.test(contentType);
}
