import { describe, expect, it } from "vitest";
import { untilAtRest } from "../../../../testing/at-rest.js";
import type { ScriptStep } from "../../../../testing/backends/scripted/index.js";
import { jsonPost, type RawClient } from "../../../../testing/clients/raw-client.js";
import {
  type AskedServer,
  askedServer,
  finish,
  gate,
  type ServerOptions,
  text,
} from "../../../../testing/gateway/asked-server.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { GatewayError } from "../../turn/error.js";

const path = "/v1/chat/completions";
const question = { model: "auto", stream: true, messages: [{ role: "user", content: "hi" }] };

const setUp = (steps: Iterable<ScriptStep>, options: ServerOptions = {}) => askedServer({ steps, ...options });
const ask = (server: AskedServer, body: object = question) => server.send(path, body);

/** A client that has read the first word of an answer that does not continue. */
async function askAndWait() {
  const server = await setUp([text("one"), gate()]);
  const client = await ask(server);
  await client.until("one");
  return { server, client };
}

/** A client that reads nothing. */
async function askUnread(server: AskedServer): Promise<RawClient> {
  const client = await server.connect();
  client.socket.pause();
  client.send(jsonPost(path, question));
  return client;
}

/** Resolves when the server itself has seen the connection close. */
async function connectionGone({ responses }: AskedServer): Promise<void> {
  await expect.poll(() => responses[0]?.req.socket.closed).toBe(true);
}

it("closes a whole reply once: a deleted response does not come back when upstream closes", async () => {
  const { open, waitFor } = gate();
  const server = await setUp([text("one"), finish, { waitFor }]);
  const reply = await server.post("/v1/responses", { model: "auto", stream: true, input: "hi" });
  const [id] = /resp_\w+/.exec(await reply.text()) ?? [];
  const stored = `${server.url}/v1/responses/${id}`;
  expect((await fetch(stored, { method: "DELETE" })).status).toBe(200);
  open();
  await expect.poll(() => server.requests.length).toBe(2);
  expect((await fetch(stored)).status).toBe(404);
});

describe("a client that leaves", () => {
  it("in the middle closes the exchange at once", async () => {
    const { server, client } = await askAndWait();
    client.socket.destroy();
    expect(await server.backend.exchanges[0]?.closed).toBe("client-left");
    await expect.poll(() => server.requests).toMatchObject([{ outcome: "client-left", status: 200, batches: 1 }]);
  });

  it("by closing only its own half closes the exchange too", async () => {
    const { server, client } = await askAndWait();
    client.socket.end();
    expect(await server.backend.exchanges[0]?.closed).toBe("client-left");
  });

  it.each([true, false])("before the first event closes the exchange (stream: %s)", async (stream) => {
    const server = await setUp([gate()]);
    const client = await ask(server, { ...question, stream });
    await expect.poll(() => server.backend.exchanges.length).toBe(1);
    client.socket.destroy();
    expect(await server.backend.exchanges[0]?.closed).toBe("client-left");
    await expect.poll(() => server.requests).toMatchObject([{ outcome: "client-left", status: 499 }]);
  });

  it("right after the end closes nothing", async () => {
    const server = await setUp([text("one"), finish]);
    const client = await ask(server);
    await client.until("[DONE]");
    client.socket.destroy();
    await connectionGone(server);
    await expect.poll(() => server.requests).toMatchObject([{ outcome: "ok" }]);
    expect(server.backend.exchanges[0]?.closedWith).toBeUndefined();
  });

  it("after the finish, while upstream still closes its side, cancels nothing", async () => {
    const { open, waitFor } = gate();
    const server = await setUp([text("one"), finish, { waitFor }]);
    const client = await ask(server);
    await client.until("[DONE]");
    client.socket.destroy();
    await connectionGone(server);
    expect(server.backend.exchanges[0]?.closedWith).toBeUndefined();
    open();
    await expect.poll(() => server.requests).toMatchObject([{ outcome: "ok" }]);
    expect(server.backend.exchanges[0]?.closedWith).toBeUndefined();
  });

  it("ends all its pipelined requests, even those that are still waiting", async () => {
    const server = await setUp([text("one"), gate()]);
    const client = await ask(server);
    client.send(jsonPost(path, question));
    await client.until("one");
    await expect.poll(() => server.backend.exchanges.length).toBe(2);
    client.socket.destroy();
    expect(await Promise.all(server.backend.exchanges.map(({ closed }) => closed))).toEqual([
      "client-left",
      "client-left",
    ]);
    await expect.poll(() => server.requests.length).toBe(2);
  });

  const tooSlow = new GatewayError("timeout", "Too slow.");
  it.each<[string, ScriptStep[], string]>([
    ["a whole answer", [text("one"), finish], "[DONE]"],
    ["an answer without a finish", [text("one")], "[DONE]"],
    ["a broken answer", [text("one"), { fail: tooSlow }], '"timeout"'],
    ["a refusal", [{ fail: tooSlow }], '"timeout"'],
  ])("leaves no listener on a connection that is reused after %s", async (_, steps, end) => {
    const server = await setUp(steps);
    const client = await ask(server);
    await client.until(end);
    const listeners = () => server.responses.at(-1)?.req.socket.listenerCount("close");
    const before = listeners();
    for (let round = 2; round <= 12; round++) {
      client.send(jsonPost(path, question));
      client.send("GET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n");
      await client.until(end, round);
      await client.until('"object":"list"', round - 1);
    }
    await expect.poll(() => server.requests.length).toBe(23);
    expect(before).toBeGreaterThan(0);
    expect(listeners()).toBe(before);
  });
});

describe("a reader that stalls", () => {
  const BATCHES = 1_000;
  const payload = "x".repeat(64 * 1024);

  function* flood(): Iterable<ScriptStep> {
    for (let index = 0; index < BATCHES; index++) yield text(payload);
    yield finish;
  }

  /** Waits until the server has filled every buffer between itself and the client, and stops. */
  async function stalled(server: AskedServer): Promise<number> {
    const pulls = () => server.backend.exchanges[0]?.pulls ?? 0;
    await expect.poll(() => server.responses[0]?.writableNeedDrain).toBe(true);
    await untilAtRest(pulls);
    return pulls();
  }

  it("exerts back-pressure on the upstream, and gets everything in the end", async () => {
    const server = await setUp(flood());
    const client = await askUnread(server);
    const pulls = await stalled(server);
    // The kernel's buffers take some megabytes; nearly all of the 64 MB must have stayed unread.
    expect(pulls).toBeLessThan(BATCHES / 4);
    const { writableLength = 0 } = server.responses[0] ?? {};
    expect(writableLength).toBeLessThan(256 * 1024);
    client.socket.resume();
    let bytes = 0;
    client.socket.removeAllListeners("data");
    client.received = "";
    let tail = "";
    await new Promise<void>((resolve) => {
      client.socket.on("data", (chunk: string) => {
        bytes += chunk.length;
        tail = (tail + chunk).slice(-64);
        if (tail.includes("[DONE]")) resolve();
      });
    });
    expect(bytes).toBeGreaterThan(BATCHES * payload.length);
    expect(server.backend.exchanges[0]?.pulls).toBe(BATCHES + 1);
  });

  it("is noticed at once when it leaves, although nothing can be written to it", async () => {
    const server = await setUp(flood());
    const client = await askUnread(server);
    const pulls = await stalled(server);
    client.socket.resetAndDestroy();
    expect(await server.backend.exchanges[0]?.closed).toBe("client-left");
    await expect.poll(() => server.requests).toMatchObject([{ outcome: "client-left" }]);
    expect(server.backend.exchanges[0]?.pulls).toBeLessThanOrEqual(pulls + 1);
  });

  it("is not sent keep-alives", async () => {
    const clock = new ManualClock();
    const server = await setUp(flood(), { clock });
    await askUnread(server);
    await stalled(server);
    const before = server.responses[0]?.writableLength;
    clock.advance(600_000);
    expect(server.responses[0]?.writableLength).toBe(before);
  });
});

describe("a silent stream", () => {
  const comment = ": keep-alive\n\n";

  it("sends a keep-alive every 15 seconds, and none while it has events", async () => {
    const clock = new ManualClock();
    const second = gate();
    const third = gate();
    const server = await setUp([text("one"), second, text("two"), third, finish], { clock });
    const client = await ask(server);
    await client.until("one");
    clock.advance(14_000);
    second.open();
    await client.until("two");
    clock.advance(14_000);
    expect(client.received).not.toContain(comment);
    clock.advance(2_000);
    await client.until(comment, 1);
    clock.advance(15_000);
    await client.until(comment, 2);
    third.open();
    expect(await client.until("0\r\n\r\n")).toContain("[DONE]");
    clock.advance(60_000);
    expect(client.received.split(comment)).toHaveLength(3);
  });

  it("has no status before the first event, unless that takes 15 seconds", async () => {
    const clock = new ManualClock();
    const first = gate();
    const server = await setUp([first, text("one"), finish], { clock });
    const client = await ask(server);
    await expect.poll(() => server.backend.exchanges.length).toBe(1);
    clock.advance(14_000);
    expect(server.responses[0]?.headersSent).toBe(false);
    clock.advance(1_000);
    const head = await client.until(comment);
    expect(head).toContain("HTTP/1.1 200 OK");
    expect(head).toContain("x-request-id: ");
    first.open();
    expect(await client.until("0\r\n\r\n")).toContain("one");
  });

  it("reports a failure as a frame once its status is sent", async () => {
    const clock = new ManualClock();
    const first = gate();
    const fail = new GatewayError("timeout", "Too slow.");
    const server = await setUp([first, { fail }], { clock });
    const client = await ask(server);
    await expect.poll(() => server.backend.exchanges.length).toBe(1);
    clock.advance(15_000);
    await client.until(comment);
    first.open();
    expect(await client.until("0\r\n\r\n")).toContain('data: {"error":{"message":"Too slow."');
    expect(server.requests).toMatchObject([{ status: 200, outcome: "timeout" }]);
  });

  it.each<[string, ScriptStep[]]>([
    ["ended", [text("one"), finish]],
    ["failed", [text("one"), { fail: new GatewayError("timeout", "Too slow.") }]],
    ["been refused", [{ fail: new GatewayError("timeout", "Too slow.") }]],
  ])("is no longer watched once it has %s", async (_, steps) => {
    const clock = new ManualClock();
    const stopped: number[] = [];
    const every = clock.every.bind(clock);
    clock.every = (intervalMs, callback) => {
      const stop = every(intervalMs, callback);
      return () => {
        stopped.push(intervalMs);
        stop();
      };
    };
    const server = await setUp(steps, { clock });
    await ask(server);
    await expect.poll(() => server.requests.length).toBe(1);
    expect(stopped).toEqual([1_000]);
  });

  it("has no keep-alives while a client waits for a whole reply", async () => {
    const clock = new ManualClock();
    const first = gate();
    const server = await setUp([first, text("one"), finish], { clock });
    const client = await ask(server, { ...question, stream: false });
    await expect.poll(() => server.backend.exchanges.length).toBe(1);
    clock.advance(60_000);
    first.open();
    expect(await client.until('"one"')).not.toContain(comment);
  });
});
