import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../clock.js";

/** The first byte of a TLS handshake. No method of HTTP begins with it. */
const TLS_HANDSHAKE = 0x16;
/** A client that tries again and again is mentioned once in this time. */
const QUIET_MS = 60_000;

/** Node's own statuses for what its parser refuses. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

export interface BrokenRequestDeps {
  readonly clock: Pick<Clock, "elapsed">;
  /** Called when a client begins a TLS handshake, but not for each one of many. */
  readonly onTls: () => void;
}

/**
 * Answers what is not HTTP as Node does, and closes the connection. A client that speaks TLS gets the same answer: the usual words for
 * it, "wrong version number", are about a port without TLS.
 */
export function answerBrokenRequests(server: Server, { clock, onTls }: BrokenRequestDeps): void {
  let quietUntilMs = 0;
  server.on("clientError", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, stream) => {
    if (error.rawPacket?.[0] === TLS_HANDSHAKE && clock.elapsed() >= quietUntilMs) {
      quietUntilMs = clock.elapsed() + QUIET_MS;
      onTls();
    }
    // Servers of node:http have no other streams.
    const socket = stream as Socket;
    // An answer that is on its way must not have another one in it.
    if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy();
    const status = statuses[error.code ?? ""] ?? 400;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
  });
}
