import { createServer as createHttp1 } from "node:http";
import { createServer as createHttp2, type ServerHttp2Session, type Settings } from "node:http2";
import { type AddressInfo, createServer as createTcp, type Socket } from "node:net";
import type { SimRequest, SimResponse } from "./node-http.js";

export interface Listener {
  readonly url: string;
  /** Applies to open and future HTTP/2 sessions. */
  applySettings(limits: Http2Limits): void;
  /** Closes every connection. */
  close(): Promise<void>;
}

export interface Http2Limits {
  maxStreams: number;
  window: number;
}

interface ListenerDeps {
  port: number;
  host: string;
  limits: Http2Limits;
  onRequest(request: SimRequest, response: SimResponse): void;
  onSession?(): void;
}

/** The first bytes of an HTTP/2 connection without TLS. No HTTP/1.1 method begins with them. */
const preface = Buffer.from("PRI ");

/** Serves HTTP/1.1 and HTTP/2 with prior knowledge on one TCP port. */
export async function listen({ port, host, limits, onRequest, onSession }: ListenerDeps): Promise<Listener> {
  // Agent streams last as long as a turn, so requests have no time limit.
  const http1 = createHttp1({ requestTimeout: 0, keepAliveTimeout: 60_000 }, onRequest);
  const http2 = createHttp2({ settings: toSettings(limits), maxSessionMemory: 1_000 }, onRequest);
  const sessions = new Set<ServerHttp2Session>();
  http2.on("session", (session) => {
    onSession?.();
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });

  const sockets = new Set<Socket>();
  const tcp = createTcp({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    sniff(socket, (isHttp2) => (isHttp2 ? http2 : http1).emit("connection", socket));
  });

  await new Promise<void>((resolve, reject) => {
    tcp.once("error", reject);
    tcp.listen(port, host, resolve);
  });
  const { address, family, port: bound } = tcp.address() as AddressInfo;

  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    applySettings(changed) {
      const settings = toSettings(changed);
      http2.updateSettings(settings);
      for (const session of sessions) if (!session.closed) session.settings(settings);
    },
    async close() {
      const closed = new Promise<void>((resolve) => tcp.close(() => resolve()));
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Buffers the first bytes until they show the HTTP version. */
function sniff(socket: Socket, decide: (isHttp2: boolean) => void): void {
  let seen = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    seen = Buffer.concat([seen, chunk]);
    const start = seen.subarray(0, preface.length);
    const isHttp2 = start.equals(preface);
    if (!isHttp2 && start.equals(preface.subarray(0, start.length))) return;
    socket.off("data", onData);
    socket.pause();
    socket.unshift(seen);
    decide(isHttp2);
    if (!isHttp2) socket.resume();
  };
  socket.on("data", onData);
}

function toSettings({ maxStreams, window }: Http2Limits): Settings {
  return {
    maxConcurrentStreams: maxStreams === 0 ? 0xffff_ffff : maxStreams,
    initialWindowSize: window === 0 ? 65_535 : window,
  };
}
