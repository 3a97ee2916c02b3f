import { once } from "node:events";
import { connect } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { RawClient } from "../../../../testing/clients/raw-client.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { listen, localUrl } from "./listen.js";

it.each([
  ["127.0.0.1", "http://127.0.0.1:80"],
  ["localhost", "http://localhost:80"],
  ["0.0.0.0", "http://127.0.0.1:80"],
  ["::", "http://[::1]:80"],
  ["[::]", "http://[::1]:80"],
  ["::1", "http://[::1]:80"],
  ["192.0.2.7", "http://192.0.2.7:80"],
])("a server on %s is reached from this machine at %s", (host, url) => {
  expect(localUrl(host, 80)).toBe(url);
});

it("a server on localhost reports the address it is bound to, not the other loopback address", async () => {
  const { url, drain } = await listen(() => {}, { host: "localhost", port: 0 });
  expect(url).toMatch(/^http:\/\/(?:127\.0\.0\.1|\[::1\]):\d+$/);
  await drain();
});

async function setUp() {
  const clock = new ManualClock();
  let handshakes = 0;
  const listener = await listen(
    (_, response) => void response.end("fine"),
    { host: "127.0.0.1", port: 0 },
    {
      clock,
      onTls: () => handshakes++,
    },
  );
  onTestFinished(async () => {
    const drained = listener.drain();
    listener.drop();
    await drained;
  });
  const port = Number(new URL(listener.url).port);
  const ask = async (bytes: string) => {
    const client = await RawClient.connect(port);
    client.send(bytes);
    await client.closed;
    return client.received;
  };
  return { port, clock, ask, handshakes: () => handshakes };
}

describe("a client that speaks TLS to a port without it", () => {
  it("is reported, and fails with a TLS version error", async () => {
    const { port, handshakes } = await setUp();
    const [failure] = await once(connect({ port, host: "127.0.0.1", rejectUnauthorized: false }), "error");
    expect(failure.code).toBe("ERR_SSL_WRONG_VERSION_NUMBER");
    expect(handshakes()).toBe(1);
  });

  it("is reported at most once a minute", async () => {
    const { clock, ask, handshakes } = await setUp();
    const hello = "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00";
    for (let round = 0; round < 3; round++) expect(await ask(hello)).toMatch(/^HTTP\/1\.1 400 /);
    expect(handshakes()).toBe(1);
    clock.advance(60_000);
    await ask(hello);
    expect(handshakes()).toBe(2);
  });
});

describe("what is not HTTP", () => {
  it.each([
    ["nonsense\r\n\r\n", "400 Bad Request"],
    [`GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, "431 Request Header Fields Too Large"],
  ])("is answered and the connection is closed: %.20s", async (bytes, status) => {
    const { ask, handshakes } = await setUp();
    expect(await ask(bytes)).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    expect(handshakes()).toBe(0);
  });

  it("closes a connection that was answered before, without writing into that answer", async () => {
    const { port } = await setUp();
    const client = await RawClient.connect(port);
    client.send("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await client.until("fine");
    client.send("nonsense\r\n\r\n");
    await client.closed;
    expect(client.received.endsWith("fine")).toBe(true);
  });
});
