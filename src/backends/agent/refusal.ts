import type { Readable } from "node:stream";
import { GatewayError } from "../../turn/error.js";
import { noFailure, parseConnectError, withHeaders } from "./failure.js";
import { Http2Refused } from "./http2-refused.js";
import { retryAfterMs } from "./retry-after.js";
import type { AnswerHead } from "./run-answer.js";
import type { RunSink } from "./run-channel.js";
import { blockedNetwork, isWebPage } from "./web-page.js";

const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** What Cursor's load balancer answers where a call in both directions cannot pass. */
const UNBALANCEABLE = 464;

/** What is no stream where one belongs, read to its end and told in our own words. */
export function readRefusal(
  body: Readable,
  head: AnswerHead,
  sink: Pick<RunSink, "judge">,
  onRead: (refusal: GatewayError) => void,
): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  body.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_ERROR_BODY_BYTES) parts.push(chunk);
  });
  body.once("end", () => onRead(refusal(head, Buffer.concat(parts).toString("utf8"), sink)));
}

/** A Connect error in JSON, or whatever stands between us and Cursor. */
function refusal({ status, header }: AnswerHead, body: string, sink: Pick<RunSink, "judge">): GatewayError {
  if (isWebPage(header("content-type"), body)) return blockedNetwork(status);
  const parsed = parseJson(body);
  if (typeof parsed === "object" && parsed !== null && "code" in parsed) {
    return sink.judge(withHeaders(parseConnectError(parsed), header));
  }
  if (status === 200) return blockedNetwork(status, "something else than a stream");
  const connectCode = status === 401 ? "unauthenticated" : status === 429 ? "resource_exhausted" : "";
  if (connectCode !== "") return sink.judge(withHeaders({ ...noFailure, connectCode }, header));
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

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
