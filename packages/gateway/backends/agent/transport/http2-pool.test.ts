import { once } from "node:events";
import {
  type ClientHttp2Stream,
  constants,
  createServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { connect as connectTcp, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { startConnectProxy } from "../../../../../testing/network/connect-proxy.js";
import { listenLocally } from "../../../../../testing/network/local-server.js";
import { createNetwork } from "../../../network/index.js";
import { Http2Refused } from "../../cursor/refusal.js";
import { Http2Pool } from "./http2-pool.js";

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

interface Peer {
  origin: string;
  sessions: ServerHttp2Session[];
  streams: ServerHttp2Stream[];
}

/** A server that answers and keeps its streams open. */
async function startPeer(settings: { maxConcurrentStreams?: number } = {}): Promise<Peer> {
  const server = createServer({ settings });
  const peer: Peer = { origin: await listen(server), sessions: [], streams: [] };
  server.on("session", (session) => peer.sessions.push(session));
  server.on("stream", (stream) => {
    peer.streams.push(stream);
    stream.on("error", () => {});
    stream.respond({ ":status": 200 });
    stream.write("x");
  });
  return peer;
}

async function listen(server: Server): Promise<string> {
  const { url, close } = await listenLocally(server);
  cleanups.push(close);
  return url;
}

/** Sends bytes there and back, so whatever was sent before has arrived in both directions. */
async function roundTrip(stream: ClientHttp2Stream, peer: Peer): Promise<void> {
  const there = once(peer.streams[0] as ServerHttp2Stream, "data");
  stream.write("ping");
  await there;
  const back = once(stream, "data");
  peer.streams[0]?.write("pong");
  await back;
}

/** A relay between the two that can stop without either side noticing. */
async function startRelay(origin: string): Promise<{ origin: string; freeze: () => void }> {
  const sockets: Socket[] = [];
  const relay = createTcpServer((near) => {
    const far = connectTcp(Number(new URL(origin).port), "127.0.0.1");
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far).pipe(near);
  });
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  const freeze = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { origin: await listen(relay), freeze };
}

let clock: ManualClock;
let pool: Http2Pool;
let peer: Peer;
beforeEach(async () => {
  clock = new ManualClock();
  pool = startPool();
  peer = await startPeer();
});

function startPool(network = createNetwork()): Http2Pool {
  const started = new Http2Pool(clock, network);
  cleanups.push(() => started.close());
  return started;
}

async function openStream(pool: Http2Pool, origin: string, account = "me"): Promise<ClientHttp2Stream> {
  const stream = await pool.open({ account, origin, headers: { ":path": "/", ":method": "POST" } });
  stream.on("error", () => {});
  await once(stream, "response");
  return stream;
}

/** Leaves a stream as a cancelled run does. */
async function leave(stream: ClientHttp2Stream): Promise<void> {
  const closed = once(stream, "close");
  stream.close(constants.NGHTTP2_CANCEL);
  await closed;
}

describe("sessions", () => {
  it("are shared by the streams of one account", async () => {
    await Promise.all(Array.from({ length: 20 }, () => openStream(pool, peer.origin)));
    expect(peer.sessions).toHaveLength(1);
    expect(pool.size).toBe(1);
  });

  it("are not shared between accounts", async () => {
    await openStream(pool, peer.origin, "me");
    await openStream(pool, peer.origin, "you");
    expect(peer.sessions).toHaveLength(2);
  });

  it("grow in number near the peer's stream limit, and no stream is refused", async () => {
    const peer = await startPeer({ maxConcurrentStreams: 10 });
    const streams = await Promise.all(Array.from({ length: 200 }, () => openStream(pool, peer.origin)));
    expect(streams.filter((stream) => stream.destroyed)).toEqual([]);
    expect(peer.sessions.length).toBeGreaterThanOrEqual(20);
    expect(peer.sessions.length).toBeLessThanOrEqual(23);
  });

  it("take new streams again when old ones have closed", async () => {
    const peer = await startPeer({ maxConcurrentStreams: 3 });
    const [first] = await Promise.all([openStream(pool, peer.origin), openStream(pool, peer.origin)]);
    await leave(first as ClientHttp2Stream);
    await openStream(pool, peer.origin);
    expect(peer.sessions).toHaveLength(1);
  });

  it("that got a GOAWAY take no new stream, and let the old one end", async () => {
    const old = await openStream(pool, peer.origin);
    peer.sessions[0]?.goaway(0);
    const sessionsUsed = async () => {
      await openStream(pool, peer.origin);
      return peer.sessions.length;
    };
    await expect.poll(sessionsUsed).toBe(2);
    const ended = once(old, "end");
    old.resume();
    peer.streams[0]?.end("bye");
    await ended;
  });

  it("stay open while the peer answers PINGs, and are closed when it stops", async () => {
    const relay = await startRelay(peer.origin);
    const stream = await openStream(pool, relay.origin);
    const closed = new Promise((resolve) => stream.once("close", resolve));
    for (let round = 0; round < 6; round++) {
      const answered = once(peer.sessions[0] as ServerHttp2Session, "ping");
      clock.advance(10_000);
      await answered;
      await roundTrip(stream, peer);
    }
    expect(stream.destroyed).toBe(false);
    relay.freeze();
    clock.advance(30_000);
    await closed;
    await expect.poll(() => pool.size).toBe(0);
  });

  it("stay warm while idle, up to a limit", async () => {
    const stream = await openStream(pool, peer.origin);
    await leave(stream);
    const session = peer.sessions[0] as ServerHttp2Session;
    for (let round = 0; round < 60; round++) {
      const asked = once(session, "ping");
      clock.advance(10_000);
      await asked;
      // Frames keep their order, so the answer to the pool's own PING arrives before this one.
      await new Promise((resolve) => session.ping(resolve));
    }
    expect([pool.size, session.closed]).toEqual([1, false]);
    const closed = once(session, "close");
    clock.advance(10_000);
    await closed;
    await expect.poll(() => pool.size).toBe(0);
  });

  it("that cannot be opened are an error with the host and the reason", async () => {
    const { url: origin, close } = await listenLocally(createTcpServer());
    await close();
    await expect(openStream(pool, origin)).rejects.toMatchObject({
      code: "upstream_unreachable",
      isRetryable: true,
      message: expect.stringContaining(`Cursor cannot be reached at ${origin} (ECONNREFUSED)`),
    });
  });

  it("are tunnelled through a proxy", async () => {
    const proxy = await startConnectProxy();
    cleanups.push(() => proxy.close());
    proxy.leadTo(peer.origin);
    const tunnelled = startPool(createNetwork({ proxy: proxy.url }));
    await openStream(tunnelled, "http://cursor.test");
    await openStream(tunnelled, "http://cursor.test");
    expect(proxy.asked.map(({ authority }) => authority)).toEqual(["cursor.test:80"]);
    proxy.refuse(503);
    await expect(openStream(tunnelled, "http://other.test")).rejects.toMatchObject({
      code: "upstream_unreachable",
      message: expect.stringMatching(
        /cannot be reached at http:\/\/other\.test \(the proxy .* answered with HTTP status 503\)/,
      ),
    });
  });

  it.each([
    ["speaks something else", (socket: Socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["hangs up", (socket: Socket) => socket.destroy()],
  ])("are refused, not unreachable, when the peer %s", async (_, answer) => {
    const server = createTcpServer((socket) => void socket.once("data", () => answer(socket)).on("error", () => {}));
    await expect(openStream(pool, await listen(server))).rejects.toBeInstanceOf(Http2Refused);
  });

  it("refuse new streams once the pool is closed", async () => {
    pool.close();
    await expect(openStream(pool, peer.origin)).rejects.toMatchObject({ code: "shutting_down" });
  });
});
