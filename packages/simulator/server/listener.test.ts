import { once } from "node:events";
import { type ClientHttp2Session, connect as http2Connect } from "node:http2";
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
