import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { untilAtRest } from "../../../../testing/at-rest.js";
import type { ScriptStep } from "../../../../testing/backends/scripted/index.js";
import {
  type AskedServer,
  askedServer,
  finish,
  gate,
  type ServerOptions,
  stillServer,
  text,
} from "../../../../testing/gateway/asked-server.js";
import { RequestMemory } from "../http/request-memory.js";

async function connect(server: AskedServer): Promise<WebSocket> {
  const socket = new WebSocket(`${server.url}/v1/responses`);
  onTestFinished(async () => {
    if (socket.readyState === WebSocket.CLOSED) return;
    socket.terminate();
    await once(socket, "close");
  });
  await once(socket, "open");
  return socket;
}

const setUp = (steps: Iterable<ScriptStep>, options: ServerOptions = {}) => askedServer({ steps, ...options });

const create = (fields: object = {}) =>
  JSON.stringify({ type: "response.create", model: "auto", input: "hi", store: false, ...fields });
const opening = [
  "GET /v1/responses HTTP/1.1",
  "host: localhost",
  "connection: upgrade",
  "upgrade: websocket",
  "sec-websocket-version: 13",
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
].join("\r\n");

describe("a reader of a WebSocket that stalls", () => {
  const BATCHES = 400;
  const payload = "x".repeat(64 * 1024);

  function* flood(): Iterable<ScriptStep> {
    for (let index = 0; index < BATCHES; index++) yield text(payload);
    yield finish;
  }

  it("exerts back-pressure on the upstream, and gets everything in the end", async () => {
    const server = await setUp(flood());
    const socket = await connect(server);
    let characters = 0;
    let isOver = false;
    socket.on("message", (data: Buffer) => {
      const event = JSON.parse(data.toString());
      if (event.type === "response.output_text.delta") characters += event.delta.length;
      if (event.type === "response.completed") isOver = true;
    });
    socket.pause();
    socket.send(create());
    const pulls = () => server.backend.exchanges[0]?.pulls ?? 0;
    await untilAtRest(pulls, 200);
    // The kernel's buffers take some megabytes; most of the 25 MB must have stayed unread.
    expect(pulls()).toBeLessThan(BATCHES / 2);
    socket.resume();
    await expect.poll(() => isOver).toBe(true);
    expect(characters).toBe(BATCHES * payload.length);
  });

  it("is noticed when it leaves, although nothing can be written to it", async () => {
    const server = await setUp(flood());
    const socket = await connect(server);
    socket.pause();
    socket.send(create());
    await expect.poll(() => server.backend.exchanges[0]?.pulls ?? 0).toBeGreaterThan(10);
    socket.terminate();
    expect(await server.backend.exchanges[0]?.closed).toBe("client-left");
    await expect
      .poll(() => server.requests)
      .toMatchObject([
        { route: "WS /v1/responses", status: 200, outcome: "client-left" },
        { route: "GET /v1/responses", status: 101 },
      ]);
  });
});

describe("a WebSocket", () => {
  it("that closes ends everything, including waiting messages", async () => {
    const server = await setUp([gate()]);
    const socket = await connect(server);
    for (let sent = 0; sent < 2; sent++) socket.send(create());
    await expect.poll(() => server.backend.exchanges.length).toBe(1);
    socket.terminate();
    const routes = () => server.requests.map(({ route }) => route).sort();
    await expect.poll(routes).toEqual(["GET /v1/responses", "WS /v1/responses"]);
    expect(server.backend.exchanges).toHaveLength(1);
  });

  it("is one line in the log for each response, and one for itself", async () => {
    const server = await setUp([text("one"), finish]);
    const socket = await connect(server);
    socket.send(create());
    await expect.poll(() => server.requests.length).toBe(1);
    expect(server.requests[0]).toMatchObject({
      route: "WS /v1/responses",
      status: 200,
      outcome: "ok",
      stream: true,
      model: "auto",
      continuity: "cold:new",
      bytes: expect.any(Number),
    });
    socket.send("nonsense");
    await expect.poll(() => server.requests[1]).toMatchObject({ status: 400, outcome: "invalid_json" });
    socket.close();
    await expect.poll(() => server.requests[2]).toMatchObject({ route: "GET /v1/responses", status: 101 });
  });

  it("receives data that arrived with the handshake", async () => {
    const server = await setUp([text("one"), finish]);
    const client = await server.connect();
    const unmasked = Buffer.alloc(4);
    const frame = Buffer.concat([Buffer.of(0x81, 0x80 | create().length), unmasked, Buffer.from(create())]);
    client.socket.write(Buffer.concat([Buffer.from(`${opening}\r\n\r\n`), frame]));
    expect(await client.until("response.completed")).toContain("response.created");
  });

  it("is pinged when idle", async () => {
    const server = await stillServer({ steps: [finish] });
    const socket = await connect(server);
    const pinged = once(socket, "ping");
    server.clock.advance(16_000);
    expect(await pinged).toHaveLength(1);
  });

  it.each([
    ["five long", create({ input: "x".repeat(1_000) }), 5],
    ["very many empty", "", 101],
  ])("is closed by a client that sends %s messages before it gets an answer", async (_, message, count) => {
    const server = await setUp([gate()], { config: { bodyLimitBytes: 4_096 } });
    const socket = await connect(server);
    const closed = once(socket, "close");
    socket.send(create());
    for (let sent = 0; sent < count; sent++) socket.send(message);
    expect((await closed)[0]).toBe(1009);
    expect(await server.backend.exchanges[0]?.closed).toBe("client-left");
  });
});

describe("the memory of a WebSocket", () => {
  const MiB = 1024 * 1024;
  const bodyLimitBytes = 2 * MiB;

  /** A message of a given length as it is on the wire, with a mask that changes nothing. */
  function frame(payload: Buffer): Buffer {
    const head = Buffer.alloc(14);
    head.writeUInt16BE(0x81ff);
    head.writeBigUInt64BE(BigInt(payload.length), 2);
    return Buffer.concat([head, payload]);
  }

  async function setUpMemory(steps: Iterable<ScriptStep> = [text("one"), finish]) {
    const memory = new RequestMemory(bodyLimitBytes, 8 * MiB);
    const server = await stillServer({ steps, memory, config: { bodyLimitBytes } });
    const openRaw = async () => {
      const client = await server.connect();
      client.send(`${opening}\r\n\r\n`);
      await client.until("\r\n\r\n");
      return client;
    };
    return { clock: server.clock, memory, server, openRaw };
  }
  const large = frame(Buffer.from(create({ input: "x".repeat(1.75 * MiB) })));
  const most = Math.floor(1.7 * MiB);

  it("includes incomplete messages, and is released when the client leaves", async () => {
    const { memory, openRaw } = await setUpMemory();
    const client = await openRaw();
    client.send(large.subarray(0, most));
    await expect.poll(() => memory.heldBytes).toBe(most);
    client.socket.destroy();
    await expect.poll(() => memory.heldBytes).toBe(0);
  });

  it("is bounded together with all other requests: only a client that sends too much gets an error", async () => {
    const { memory, openRaw } = await setUpMemory();
    const others = [await openRaw(), await openRaw(), await openRaw()];
    for (const client of others) client.send(large.subarray(0, most));
    await expect.poll(() => memory.heldBytes).toBe(3 * most);
    const refused = await openRaw();
    refused.send(large);
    expect(await refused.until('"overloaded"')).toContain('"type":"error","status":503');
    await expect.poll(() => memory.heldBytes).toBe(3 * most);
    for (const client of others) {
      client.send(large.subarray(most));
      expect(await client.until("response.completed")).toContain("response.created");
    }
    await expect.poll(() => memory.heldBytes).toBeLessThan(64); // the heads of frames, whose length is not reported
  });

  it("is held by a message until it is answered, and not by an idle connection", async () => {
    const { open, waitFor } = gate();
    const { memory, server } = await setUpMemory([{ waitFor }, finish]);
    const socket = await connect(server);
    for (let count = 0; count < 50; count++) socket.ping("still here");
    socket.send(create({ input: "x".repeat(100_000) }));
    await expect.poll(() => server.backend.exchanges.length).toBe(1);
    expect(memory.heldBytes).toBeGreaterThanOrEqual(100_000);
    open();
    await expect.poll(() => memory.heldBytes).toBeLessThan(64);
  });

  it("is released for a stalled message", async () => {
    const { clock, memory, openRaw } = await setUpMemory();
    const client = await openRaw();
    client.send(large.subarray(0, most));
    await expect.poll(() => memory.heldBytes).toBe(most);
    clock.advance(20_000);
    clock.advance(20_000);
    expect(await client.until('"request_timeout"')).toContain('"type":"error","status":408');
    expect(memory.heldBytes).toBe(0);
    clock.advance(2_000);
    await client.closed;
  });
});
