import { once } from "node:events";
import { createServer, type IncomingMessage, validateHeaderValue } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toHeaderValue, watchClient } from "./start-reply.js";

it.each([
  ["plain text", "plain text"],
  ["split\r\nx-evil: 1", "split??x-evil: 1"],
  ["Grüße\0", "Gr??e?"],
])("makes %j fit for a header", (text, expected) => {
  expect(toHeaderValue(text)).toBe(expected);
  expect(() => validateHeaderValue("x", toHeaderValue(text))).not.toThrow();
});

it("does not let a header grow without end", () => {
  expect(toHeaderValue("x".repeat(500), 20)).toBe(`${"x".repeat(17)}...`);
  expect(toHeaderValue("x".repeat(20), 20)).toBe("x".repeat(20));
});

describe("a watch over a client", () => {
  const server = createServer(() => {});
  let client: Socket;
  let incoming: IncomingMessage;
  beforeEach(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const asked = once(server, "request");
    client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.on("error", () => {});
    client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    [incoming] = await asked;
  });
  afterEach(() => {
    client.destroy();
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  const gone = async () => {
    const closed = once(incoming.socket, "close");
    client.destroy();
    await closed;
  };

  it("aborts when the client leaves", async () => {
    const { signal } = watchClient(incoming);
    expect(signal.aborted).toBe(false);
    await gone();
    expect(signal.aborted).toBe(true);
  });

  it("has aborted when the client had left before", async () => {
    await gone();
    expect(watchClient(incoming).signal.aborted).toBe(true);
  });

  it("lets a client leave once it is released, and can still be given up", async () => {
    const watch = watchClient(incoming);
    watch.release();
    await gone();
    expect(watch.signal.aborted).toBe(false);
    watch.abandon();
    expect(watch.signal.aborted).toBe(true);
  });

  it("leaves nothing behind on a connection that lives on", () => {
    const before = incoming.socket.listenerCount("close");
    watchClient(incoming).release();
    watchClient(incoming).abandon();
    expect(incoming.socket.listenerCount("close")).toBe(before);
  });
});
