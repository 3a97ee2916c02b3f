import { describe, expect, it, onTestFinished } from "vitest";
import type { ScriptStep } from "../../../../../testing/backends/scripted/index.js";
import { type RawClient, readChunked } from "../../../../../testing/clients/raw-client.js";
import { finish, gate, type StillServer, stillServer, text } from "../../../../../testing/gateway/asked-server.js";
import { GatewayError } from "../../../turn/error.js";
import { listen, type RequestRecord } from "../../../turn/events/channels.js";
import { MAX_KEPT_CHARS } from "./recorded-reply.js";

const path = "/v1/chat/completions";
const hi = { role: "user", content: "hi" };
const question = { model: "auto", stream: true, messages: [hi] };
const elsewhere = "x-forwarded-for: 192.0.2.7";
const retry = (count: number) => `${elsewhere}\r\nx-stainless-retry-count: ${count}`;

const setUp = (steps: Iterable<ScriptStep>) => stillServer({ steps });

const ask = ({ send }: StillServer, headers = elsewhere, body: object = question) => send(path, body, headers);

/** Cuts a client's connection, and waits until the server has seen it. */
async function cut(server: StillServer, client: RawClient): Promise<void> {
  const before = server.requests.length;
  client.socket.destroy();
  await expect.poll(() => server.requests.length).toBe(before + 1);
}

async function wholeStream(client: RawClient): Promise<string> {
  return readChunked(await client.until("\r\n0\r\n\r\n")).chunks.join("");
}

/** Collects the records of ended requests from the events. */
function ended(): RequestRecord[] {
  const records: RequestRecord[] = [];
  const note = (record: RequestRecord) => void records.push({ ...record });
  const listeners = { "curlew:request:finished": note, "curlew:request:failed": note };
  onTestFinished(
    listen("test", listeners, (problem) => {
      throw problem;
    }),
  );
  return records;
}

describe("a request that is repeated after its connection broke", () => {
  it("joins its reply: first the part that was sent, then the rest, byte for byte", async () => {
    const { open, waitFor } = gate();
    const server = await setUp([text("one é "), text("two "), { waitFor }, text("three"), finish]);
    const first = await ask(server);
    await first.until("two");
    await cut(server, first);
    const second = await ask(server);
    await second.until("two");
    open();
    const body = await wholeStream(second);
    const begun = readChunked(`${first.received}0\r\n\r\n`).chunks.join("");
    expect(body.slice(0, begun.length)).toBe(begun);
    expect(body).toMatch(/one.*two.*three.*\[DONE\]\n\n$/s);
    expect(server.backend.exchanges).toHaveLength(1);
    const { requestId } = server.requests[0] ?? {};
    expect(server.requests[1]).toMatchObject({
      outcome: "ok",
      joined: requestId,
      model: "auto",
      continuity: "cold:new",
    });
    expect(second.received).toContain(`x-curlew-joined: ${requestId}\r\n`);
  });

  it("gets a whole reply that was finished meanwhile", async () => {
    const { open, waitFor } = gate();
    const server = await setUp([text("one "), { waitFor }, text("two"), finish]);
    const whole = { ...question, stream: false };
    const first = await ask(server, elsewhere, whole);
    await expect.poll(() => server.backend.exchanges[0]?.pulls).toBe(1);
    await cut(server, first);
    open();
    await expect.poll(() => server.backend.exchanges[0]?.pulls).toBe(3);
    const second = await ask(server, elsewhere, whole);
    await second.until('"content":"one two"');
    expect(server.backend.exchanges).toHaveLength(1);
  });

  it("joins after a cut in the last bytes, which the server believes delivered", async () => {
    const server = await setUp([text("one"), finish]);
    const first = await ask(server);
    await wholeStream(first);
    first.socket.resetAndDestroy();
    await expect.poll(() => server.responses[0]?.req.socket.closed).toBe(true);
    await wholeStream(await ask(server));
    expect(server.backend.exchanges).toHaveLength(1);
  });

  it("starts anew when the reply has failed", async () => {
    const { open, waitFor } = gate();
    const failure = new GatewayError("overloaded", "Cursor is busy.");
    const server = await setUp([text("one"), { waitFor }, { fail: failure }]);
    const first = await ask(server);
    await first.until("one");
    await cut(server, first);
    open();
    await expect.poll(() => server.memory.heldBytes).toBe(0);
    await (await ask(server, retry(1))).until("Cursor is busy");
    await expect.poll(() => server.requests[1]).toMatchObject({ outcome: "overloaded", breaker: "open" });
    expect(server.requests[1]).toMatchObject({ joined: undefined });
  });
});

describe("a reply without a reader", () => {
  const waiting = () => [text("one"), gate()];

  it("ends when its client has not come back in time", async () => {
    const server = await setUp(waiting());
    const client = await ask(server);
    await client.until("one");
    await cut(server, client);
    server.clock.advance(14_999);
    expect(server.backend.exchanges[0]?.closedWith).toBeUndefined();
    server.clock.advance(1);
    expect(await server.backend.exchanges[0]?.closed).toBe("client-left");
    await expect.poll(() => server.memory.heldBytes).toBe(0);
  });

  it("ends at once if its client is on this machine, where a closed connection is an abort", async () => {
    const server = await setUp(waiting());
    const client = await ask(server, "accept: */*");
    await client.until("one");
    client.socket.destroy();
    expect(await server.backend.exchanges[0]?.closed).toBe("client-left");
  });

  it("ends at once if its client continues the conversation in another way", async () => {
    const server = await setUp(waiting());
    const before = [hi, { role: "assistant", content: "hello" }];
    const saying = (content: string) => ({ ...question, messages: [...before, { role: "user", content }] });
    const client = await ask(server, elsewhere, saying("go on"));
    await client.until("one");
    await cut(server, client);
    await (await ask(server, elsewhere, { ...question, messages: [{ role: "user", content: "other" }] })).until("one");
    await (await ask(server, elsewhere, { ...saying("go on"), temperature: 0.5 })).until("one");
    expect(server.backend.exchanges[0]?.closedWith).toBeUndefined();
    await (await ask(server, elsewhere, saying("stop that"))).until("one");
    expect(server.backend.exchanges[0]?.closedWith).toBe("client-left");
    expect(server.backend.exchanges.map(({ closedWith }) => closedWith)).toEqual([
      "client-left",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("ends when it becomes too long to be recorded", async () => {
    const { open, waitFor } = gate();
    const long = text("x".repeat(MAX_KEPT_CHARS / 8));
    const server = await setUp([text("one"), { waitFor }, ...Array.from({ length: 9 }, () => long), gate()]);
    const client = await ask(server);
    await client.until("one");
    await cut(server, client);
    open();
    expect(await server.backend.exchanges[0]?.closed).toBe("client-left");
    await expect.poll(() => server.memory.heldBytes).toBe(0);
  });
});

describe("equal requests", () => {
  it("have separate runs, while they run and afterwards", async () => {
    const { open, waitFor } = gate();
    const server = await setUp([text("one"), { waitFor }, finish]);
    const both = [await ask(server), await ask(server, retry(0))];
    for (const client of both) await client.until("one");
    open();
    for (const client of both) await wholeStream(client);
    await wholeStream(await ask(server));
    expect(server.backend.exchanges).toHaveLength(3);
  });

  it("share a run if the second has a higher retry count, once for each attempt", async () => {
    const { open, waitFor } = gate();
    const server = await setUp([text("one"), { waitFor }, text("two"), finish]);
    const first = await ask(server, retry(0));
    await first.until("one");
    const again = await ask(server, retry(1));
    await again.until("one");
    const another = await ask(server, retry(1));
    await another.until("one");
    open();
    expect(await wholeStream(again)).toBe(await wholeStream(first));
    await wholeStream(another);
    expect(server.backend.exchanges).toHaveLength(2);
  });

  it("share a run by their idempotency key, even on this machine, and never under two keys", async () => {
    const { open, waitFor } = gate();
    const server = await setUp([text("one"), { waitFor }, text("two"), finish]);
    const named = (name: string) => `idempotency-key: ${name}`;
    const clients = [await ask(server, named("a"))];
    await clients[0]?.until("one");
    for (const name of ["a", "b"]) clients.push(await ask(server, named(name)));
    for (const client of clients) await client.until("one");
    expect(server.backend.exchanges).toHaveLength(2);
    clients[2]?.socket.destroy();
    expect(await server.backend.exchanges[1]?.closed).toBe("client-left");
    open();
    expect(await wholeStream(clients[0] as RawClient)).toBe(await wholeStream(clients[1] as RawClient));
  });
});

it("a finished reply is kept for a counted retry as long as a broken one, and then released", async () => {
  const server = await setUp([text("one"), finish]);
  const body = await wholeStream(await ask(server));
  expect(await wholeStream(await ask(server, retry(1)))).toBe(body);
  expect(server.backend.exchanges).toHaveLength(1);
  await expect.poll(() => server.requests.length).toBe(2);
  server.clock.advance(15_000);
  expect(server.memory.heldBytes).toBe(0);
  await wholeStream(await ask(server, retry(2)));
  expect(server.backend.exchanges).toHaveLength(2);
});

it("a reader that joins reads at its own pace, and the dead connection before it exerts no back-pressure", async () => {
  const { open, waitFor } = gate();
  const many = Array.from({ length: 64 }, () => text("x".repeat(16 * 1024)));
  const server = await setUp([text("one"), { waitFor }, ...many, text("END"), finish]);
  const first = await ask(server, retry(0));
  await first.until("one");
  first.socket.pause();
  const second = await ask(server, retry(1));
  await second.until("one");
  open();
  expect(await wholeStream(second)).toContain("END");
  expect(server.backend.exchanges).toHaveLength(1);
  first.socket.resume();
  expect(await wholeStream(first)).toBe(await wholeStream(second));
});

describe("the record of a reply that others can join", () => {
  it("has the size, the status and the first byte of a streamed reply", async () => {
    const server = await setUp([text("one é "), finish]);
    const records = ended();
    const body = await wholeStream(await ask(server));
    expect(records).toMatchObject([{ outcome: "ok", status: 200, bytes: Buffer.byteLength(body, "latin1") }]);
    expect(records[0]?.firstByteMs).toBeDefined();
  });

  it("has those of a whole reply and of an error too", async () => {
    const server = await setUp([text("one"), finish]);
    const records = ended();
    const client = await ask(server, elsewhere, { ...question, stream: false });
    const received = await client.until('"content":"one"');
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
    expect(records).toMatchObject([{ outcome: "ok", status: 200, bytes: length }]);
    expect(records[0]?.firstByteMs).toBeDefined();
    const failing = await setUp([{ fail: new GatewayError("overloaded", "Too much to do.") }]);
    await (await ask(failing)).until("Too much to do.");
    expect(records[1]).toMatchObject({ outcome: "overloaded", status: 503, firstByteMs: expect.any(Number) });
    expect(records[1]?.bytes).toBeGreaterThan(0);
  });

  it("says that the client left when it did not come back", async () => {
    const server = await setUp([text("one "), gate()]);
    const records = ended();
    const client = await ask(server);
    await client.until("one");
    await cut(server, client);
    server.clock.advance(60_000);
    await expect.poll(() => records).toMatchObject([{ outcome: "client-left", status: 200, error: undefined }]);
    expect(records[0]?.bytes).toBeGreaterThan(0);
  });

  it("says that a reader that joined has left", async () => {
    const { open, waitFor } = gate();
    const server = await setUp([text("one "), { waitFor }, text("two"), finish]);
    const records = ended();
    const named = `${elsewhere}\r\nidempotency-key: a`;
    const first = await ask(server, named);
    await first.until("one");
    const second = await ask(server, named);
    await second.until("one");
    await cut(server, second);
    expect(records).toMatchObject([{ outcome: "client-left", joined: expect.any(String), status: 200 }]);
    open();
    await wholeStream(first);
    expect(records[1]).toMatchObject({ outcome: "ok", joined: undefined });
  });
});
