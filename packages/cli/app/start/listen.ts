import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { isLoopback } from "@curlew/gateway/network/loopback.js";
import { type Clock, systemClock } from "@curlew/gateway/system/clock.js";
import { StartError } from "../prepare/start-error.js";

/** Longer than clients keep idle connections, so that they close first and never write into a closing one. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;

/** Opens the port. @throws {StartError} `address_unavailable`, with the reason in words. */
export async function listen(
  handle: RequestListener,
  { host, port }: { host: string; port: number },
  { clock = systemClock, onTls = () => {} }: Partial<BrokenRequestDeps> = {},
) {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, handle);
  answerBrokenRequests(server, { clock, onTls });
  server.on("request", (_, response) => {
    response.once("close", () => {
      // While draining, a connection that becomes idle must not delay shutdown.
      if (!server.listening) server.closeIdleConnections();
    });
  });
  // Node does not count these connections.
  const upgraded = new Set<Socket>();
  server.on("upgrade", ({ socket }) => {
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
  });
  takeUpgrades(server, handle);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenFailure(error, host, port)));
    server.listen(port, host.replace(/^\[|\]$/g, ""), resolve);
  });
  const { address, port: realPort } = server.address() as AddressInfo;
  return {
    // `localhost` is both 127.0.0.1 and ::1. Another user could bind the one we leave free and receive our clients' requests.
    url: localUrl(isLoopback(host) ? address : host, realPort),
    /** Accepts no new connections; resolves when the last answer is written. */
    drain: () => new Promise<void>((resolve) => server.close(() => resolve())),
    drop(): void {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
    },
  };
}

/** A StartError that says why a port cannot be opened; any other error unchanged. */
export function listenFailure(thrown: unknown, host: string, port: number): unknown {
  const code = thrown instanceof Error && "syscall" in thrown && "code" in thrown ? thrown.code : undefined;
  if (code === undefined) return thrown;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    const reason = `This machine has no address ${host}. Choose another with --host.`;
    return new StartError("address_unavailable", reason, { cause: thrown, settings: ["host"] });
  }
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "is in use. Choose another with --port, or --port 0 for any free one.",
    EACCES: "cannot be opened by this user. Choose one above 1023 with --port.",
  };
  const reason = `Port ${port} on ${host} ${reasons[String(code)] ?? `cannot be opened (${String(code)}).`}`;
  return new StartError("address_unavailable", reason, { cause: thrown, settings: ["port", "host"] });
}

/** The URL at which programs on this machine reach the listener. */
export function localUrl(host: string, port: number): string {
  const name = host.replace(/^\[|\]$/g, "");
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[name] ?? name;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Sends WebSockets through the same routes and guards as all other requests. */
export function takeUpgrades(server: Server, handle: RequestListener): void {
  server.on("upgrade", (request: IncomingMessage, _, head: Buffer) => {
    const { socket } = request;
    // Some clients (Java's) offer an upgrade to HTTP/2 with each request: parse it again without the offer.
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      socket.unshift(Buffer.concat([Buffer.from(withoutUpgrade(request), "latin1"), head]));
      server.emit("connection", socket);
      return;
    }
    socket.unshift(head);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => {
      response.detachSocket(socket);
      socket.destroySoon(); // the upgrade was refused
    });
    handle(request, response);
  });
}

function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (!/^(?:upgrade|http2-settings|connection)$/i.test(name)) lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** The first byte of a TLS handshake. No method of HTTP begins with it. */
const TLS_HANDSHAKE = 0x16;
/** TLS handshakes are reported at most once in this time. */
const QUIET_MS = 60_000;

/** Node's own statuses for what its parser refuses. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

interface BrokenRequestDeps {
  readonly clock: Pick<Clock, "elapsed">;
  /** Called when a client begins a TLS handshake; throttled. */
  readonly onTls: () => void;
}

/** Answers non-HTTP bytes as Node does. TLS clients read that as "wrong version number", which means a port without TLS. */
function answerBrokenRequests(server: Server, { clock, onTls }: BrokenRequestDeps): void {
  let quietUntilMs = 0;
  server.on("clientError", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, stream) => {
    if (error.rawPacket?.[0] === TLS_HANDSHAKE && clock.elapsed() >= quietUntilMs) {
      quietUntilMs = clock.elapsed() + QUIET_MS;
      onTls();
    }
    // node:http servers have no other streams.
    const socket = stream as Socket;
    // Never write into an answer that has begun.
    if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy();
    const status = statuses[error.code ?? ""] ?? 400;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
  });
}
