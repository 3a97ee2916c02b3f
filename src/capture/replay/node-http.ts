import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** A request and its response on either HTTP version. */
export type ReplayRequest = IncomingMessage | Http2ServerRequest;
export type ReplayResponse = ServerResponse | Http2ServerResponse;
