import { EventEmitter, once } from "node:events";
import { request as http1Request } from "node:http";
import { type ClientHttp2Session, connect as http2Connect } from "node:http2";
import { connect as tcpConnect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Listener, listen } from "./listener.js";
import type { SimRequest, SimResponse } from "./node-http.js";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function start(limits = { maxStreams: 0, window: 0 }, onRequest = echo): Promise<Listener> {
  const listener = await listen({ port: 0, host: "127.0.0.1", limits, onRequest });
  open.push(listener);
  return listener;
}

function echo(request: SimRequest, response: SimResponse): void {
  response.end(`${request.method} ${request.url} over ${request.httpVersion}`);
}

function session(url: string): ClientHttp2Session {
  const client = http2Connect(url);
  client.on("error", () => {});
  open.push({ close: () => client.destroy() });
  return client;
}

async function http2Get(client: ClientHttp2Session, path: string): Promise<string> {
  const stream = client.request({ ":path": path }).setEncoding("utf8");
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}

function tcp(url: string) {
  const socket = tcpConnect(Number(new URL(url).port), "127.0.0.1").setNoDelay(true);
  open.push({ close: () => socket.destroy() });
  return socket;
}

/** Writes one byte at a time. The event loop turns in between, so that the server in this process reads each byte alone. */
async function writeByteByByte(socket: ReturnType<typeof tcp>, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    socket.write(Buffer.of(byte));
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  }
}

function readUntil(socket: ReturnType<typeof tcp>, wanted: (seen: Buffer) => boolean): Promise<Buffer> {
  let seen = Buffer.alloc(0);
  return new Promise((resolve) => {
    socket.on("data", (chunk) => {
      seen = Buffer.concat([seen, chunk]);
      if (wanted(seen)) resolve(seen);
    });
  });
}

describe("one port", () => {
  it("serves both HTTP versions at the same time", async () => {
    const { url } = await start();
    const [one, two] = await Promise.all([
      fetch(`${url}/a`).then((response) => response.text()),
      http2Get(session(url), "/b"),
    ]);
    expect(one).toBe("GET /a over 1.1");
    expect(two).toBe("GET /b over 2.0");
  });

  it("detects HTTP/2 by its preface in single bytes", async () => {
    const { url } = await start();
    const socket = tcp(url);
    const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    const answer = readUntil(socket, (seen) => seen.length >= 9);
    await once(socket, "connect");
    await writeByteByByte(socket, Buffer.concat([preface, emptySettings]));
    expect((await answer).readUInt8(3)).toBe(4); // the type byte of a SETTINGS frame
  });

  it.each(["POST", "PUT", "PROPFIND", "GET"])("detects %s over HTTP/1.1 in single bytes", async (method) => {
    const { url } = await start();
    const socket = tcp(url);
    const answer = readUntil(socket, (seen) => seen.includes("over 1.1"));
    await once(socket, "connect");
    await writeByteByByte(socket, Buffer.from(`${method} /x HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\n\r\n`));
    expect((await answer).toString()).toContain(`${method} /x over 1.1`);
  });

  it("keeps an HTTP/1.1 connection for the next request", async () => {
    const { url } = await start();
    const socket = tcp(url);
    const requests = "GET /1 HTTP/1.1\r\nhost: h\r\n\r\nGET /2 HTTP/1.1\r\nhost: h\r\n\r\n";
    const answer = readUntil(socket, (seen) => seen.includes("/2 over"));
    await writeByteByByte(socket, Buffer.from(requests));
    expect((await answer).toString()).toMatch(/GET \/1 over.*GET \/2 over/s);
  });

  it("passes a large HTTP/1.1 body through whole", async () => {
    const { url } = await start(undefined, async (request, response) => {
      let bytes = 0;
      for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.length;
      response.end(String(bytes));
    });
    const response = await fetch(url, { method: "POST", body: Buffer.alloc(3_000_000, 7) });
    expect(await response.text()).toBe("3000000");
  });
});

describe("HTTP/2 limits", () => {
  it("are sent to a new session", async () => {
    const { url } = await start({ maxStreams: 3, window: 100_000 });
    const [settings] = await once(session(url), "remoteSettings");
    expect(settings).toMatchObject({ maxConcurrentStreams: 3, initialWindowSize: 100_000 });
  });

  it("can change while a session is open, and for later ones", async () => {
    const listener = await start();
    const early = session(listener.url);
    const [before] = await once(early, "remoteSettings");
    expect(before).toMatchObject({ maxConcurrentStreams: 0xffff_ffff, initialWindowSize: 65_535 });

    const changed = once(early, "remoteSettings");
    listener.applySettings({ maxStreams: 7, window: 0 });
    expect((await changed)[0]).toMatchObject({ maxConcurrentStreams: 7 });
    const [later] = await once(session(listener.url), "remoteSettings");
    expect(later).toMatchObject({ maxConcurrentStreams: 7 });
  });
});

describe("closing", () => {
  it("ends open streams of both versions and connections that never spoke", async () => {
    const arrivals = new EventEmitter();
    const listener = await start(undefined, (request) => arrivals.emit(request.httpVersion));
    const bothArrived = Promise.all([once(arrivals, "1.1"), once(arrivals, "2.0")]);
    const silent = tcp(listener.url).resume();
    const stream = session(listener.url).request({ ":path": "/never" }).resume();
    stream.on("error", () => {});
    const request = http1Request(`${listener.url}/never`).end();
    const ends = [once(silent, "close"), once(stream, "close"), once(request, "error")];
    await bothArrived;

    await listener.close();
    await Promise.all(ends);
    expect(await fetch(listener.url).catch(() => "refused")).toBe("refused");
  });

  it("fails clearly if the address is in use", async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    const second = listen({ port, host: "127.0.0.1", limits: { maxStreams: 0, window: 0 }, onRequest: echo });
    await expect(second).rejects.toThrow("EADDRINUSE");
  });
});
