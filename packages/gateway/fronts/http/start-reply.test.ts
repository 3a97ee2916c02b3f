import { once } from "node:events";
import { type IncomingMessage, validateHeaderValue } from "node:http";
import { describe, expect, it } from "vitest";
import { RawClient } from "../../../../testing/clients/raw-client.js";
import { serveHttp } from "../../../../testing/network/serve-http.js";
import { toHeaderValue, watchClient } from "./start-reply.js";

it.each([
  ["plain text", "plain text"],
  ["split\r\nx-evil: 1", "split??x-evil: 1"],
  ["Grüße\0", "Gr??e?"],
])("makes %j fit for a header", (text, expected) => {
  expect(toHeaderValue(text)).toBe(expected);
  expect(() => validateHeaderValue("x", toHeaderValue(text))).not.toThrow();
});

it("limits the length of a header", () => {
  expect(toHeaderValue("x".repeat(500), 20)).toBe(`${"x".repeat(17)}...`);
  expect(toHeaderValue("x".repeat(20), 20)).toBe("x".repeat(20));
});

describe("a watch over a client", () => {
  async function connected() {
    let asked: (incoming: IncomingMessage) => void = () => {};
    const asking = new Promise<IncomingMessage>((resolve) => {
      asked = resolve;
    });
    const { port } = new URL(await serveHttp((incoming) => asked(incoming)));
    const client = await RawClient.connect(Number(port));
    client.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    const incoming = await asking;
    const gone = async () => {
      const closed = once(incoming.socket, "close");
      client.socket.destroy();
      await closed;
    };
    return { incoming, gone };
  }

  it("is aborted at once if the client has already left", async () => {
    const { incoming, gone } = await connected();
    await gone();
    expect(watchClient(incoming).signal.aborted).toBe(true);
  });

  it("lets a client leave once it is released, and can still be abandoned", async () => {
    const { incoming, gone } = await connected();
    const watch = watchClient(incoming);
    watch.release();
    await gone();
    expect(watch.signal.aborted).toBe(false);
    watch.abandon();
    expect(watch.signal.aborted).toBe(true);
  });
});
