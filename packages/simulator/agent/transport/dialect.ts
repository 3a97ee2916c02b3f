import type { ConnectError } from "@connectrpc/connect";
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import { END, encodeEnvelope, GRPC_WEB_TRAILERS } from "../../server/envelope.js";

/** How a stream is labelled and ended. The frames in between are the same in both dialects. */
export interface Dialect {
  responseHeaders(isGzip: boolean): Record<string, string>;
  endFrame(error: ConnectError | undefined): Buffer;
}

const connect: Dialect = {
  responseHeaders: (isGzip) => ({
    "content-type": "application/connect+proto",
    "connect-accept-encoding": "gzip",
    ...(isGzip ? { "connect-content-encoding": "gzip" } : {}),
  }),
  endFrame: (error) =>
    encodeEnvelope(
      END,
      Buffer.from(JSON.stringify(error === undefined ? {} : { error: errorToJson(error, undefined) })),
    ),
};

export const GRPC_WEB = "application/grpc-web+proto";

/** Some third-party gateways use this one. */
export const grpcWeb: Dialect = {
  responseHeaders: (isGzip) => ({
    "content-type": GRPC_WEB,
    ...(isGzip ? { "grpc-encoding": "gzip" } : {}),
  }),
  endFrame(error) {
    const trailers =
      error === undefined
        ? "grpc-status: 0\r\n"
        : `grpc-status: ${error.code}\r\ngrpc-message: ${encodeURIComponent(error.rawMessage)}\r\n`;
    return encodeEnvelope(GRPC_WEB_TRAILERS, Buffer.from(trailers));
  },
};

export function dialectOf(contentType: string | undefined): Dialect | undefined {
  if (contentType?.startsWith("application/connect+proto")) return connect;
  if (contentType?.startsWith(GRPC_WEB)) return grpcWeb;
  return undefined;
}
