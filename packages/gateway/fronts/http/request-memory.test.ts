import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ScriptStep } from "../../../../testing/backends/scripted/index.js";
import { gate, hello, stillServer } from "../../../../testing/gateway/asked-server.js";
import { BodyBytes } from "./body/body-bytes.js";
import { RequestMemory } from "./request-memory.js";

const MiB = 1024 * 1024;
const LIMIT = 2 * MiB;
/** Large bodies may take 6 MiB of it. */
const TOTAL = 8 * MiB;
const path = "/v1/chat/completions";
const json = { "content-type": "application/json" };

async function setUp(steps: Iterable<ScriptStep> = hello) {
  const memory = new RequestMemory(LIMIT, TOTAL);
  const server = await stillServer({ steps, memory, config: { bodyLimitBytes: LIMIT } });
  /** Holds this many bytes of a larger body. */
  const hang = async (bytes: number, { announced = 2 * MiB, route = path } = {}) => {
    const client = await server.connect();
    const before = memory.heldBytes;
    const head = [`POST ${route} HTTP/1.1`, "host: 127.0.0.1", "content-type: application/json"];
    client.send([...head, `content-length: ${announced}`, "", ""].join("\r\n"));
    client.send(Buffer.from(questionOf(announced)).subarray(0, bytes));
    const goOn = () => client.send(Buffer.from(questionOf(announced)).subarray(bytes));
    await expect.poll(() => memory.heldBytes - before).toBe(bytes);
    return { client, goOn };
  };
  const post = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) => {
    const response = await fetch(server.url + path, { method: "POST", headers, body });
    const { error } = (await response.json()) as { error?: { code: string } };
    return { status: response.status, code: error?.code, retryAfter: response.headers.get("retry-after") };
  };
  return { clock: server.clock, memory, server, hang, post };
}

/** A question whose body has exactly this many bytes. */
function questionOf(bytes: number): string {
  const write = (content: string) => JSON.stringify({ model: "auto", messages: [{ role: "user", content }] });
  return write("x".repeat(bytes - write("").length));
}

const refused = { status: 503, code: "overloaded", retryAfter: "5" };

describe("the bodies of all requests together", () => {
  it("are bounded: only the excess is refused", async () => {
    const { memory, hang, post } = await setUp();
    const others = [await hang(1.75 * MiB), await hang(1.75 * MiB), await hang(1.75 * MiB)];
    expect(await post(questionOf(2 * MiB))).toEqual(refused);
    expect((await post(questionOf(1_000))).status).toBe(200);
    for (const { client, goOn } of others) {
      goOn();
      expect(await client.until("Hello")).toContain("HTTP/1.1 200 OK");
    }
    expect((await post(questionOf(2 * MiB))).status).toBe(200);
    expect(memory.heldBytes).toBe(0);
  });

  it("are bounded without a content-length", async () => {
    const { memory, server, hang } = await setUp();
    for (let count = 0; count < 3; count++) await hang(1.75 * MiB);
    const before = memory.heldBytes;
    const client = await server.connect();
    client.send(`POST ${path} HTTP/1.1\r\nhost: localhost\r\n`);
    client.send("content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    for (let sent = 0; sent < 2 * MiB; sent += 0x10000) client.send(chunk);
    const answer = await client.until('"overloaded"');
    expect(answer).toContain("HTTP/1.1 503");
    expect(answer.toLowerCase()).toContain("connection: close");
    expect(memory.heldBytes).toBe(before);
  });

  it("take no memory for a length that is merely announced", async () => {
    const { hang, post } = await setUp();
    for (let count = 0; count < 10; count++) await hang(0);
    expect((await post(questionOf(2 * MiB))).status).toBe(200);
  });

  it("count with their inflated size", async () => {
    const { memory, hang, post } = await setUp();
    for (let count = 0; count < 3; count++) await hang(1.75 * MiB);
    const before = memory.heldBytes;
    const small = gzipSync(questionOf(2 * MiB));
    expect(small.length).toBeLessThan(64 * 1024);
    expect(await post(small, { ...json, "content-encoding": "gzip" })).toEqual(refused);
    expect(memory.heldBytes).toBe(before);
  });

  it.each([
    ["a count", "POST /v1/messages/count_tokens", questionOf(MiB / 2)],
    ["a stored response", "GET /v1/responses/ID", ""],
  ])("are released when the connection dies under %s that waits for the answer before it", async (_, route, body) => {
    let answered: Promise<void> = Promise.resolve();
    const { memory, server } = await setUp([{ waitFor: () => answered }, ...hello]);
    const stored = await server.post("/v1/responses", { model: "auto", input: "x".repeat(1_000) });
    const [id = ""] = /resp_\w+/.exec(await stored.text()) ?? [];
    answered = new Promise(() => {});
    const client = await server.send(path, { model: "auto", messages: [{ role: "user", content: "hi" }] });
    const head = [`${route.replace("ID", id)} HTTP/1.1`, "host: 127.0.0.1", "content-type: application/json"];
    client.send([...head, `content-length: ${body.length}`, "", body].join("\r\n"));
    await expect.poll(() => server.requests).toMatchObject([{ status: 200 }, { status: 200 }]);
    client.socket.resetAndDestroy();
    await expect.poll(() => memory.heldBytes).toBe(0);
  });

  it("are held until they are answered, and released when their client leaves", async () => {
    const { memory, hang, post } = await setUp([gate()]);
    const whole = await hang(2 * MiB, { announced: 2 * MiB });
    const half = await hang(1.5 * MiB);
    await hang(1.5 * MiB);
    expect(await post(questionOf(2 * MiB))).toEqual(refused);
    whole.client.socket.destroy();
    half.client.socket.destroy();
    await expect.poll(() => memory.heldBytes).toBe(1.5 * MiB);
  });
});

describe("a stalled body", () => {
  it.each([
    [path, '"type":"invalid_request_error","code":"request_timeout"'],
    ["/v1/responses", '"type":"invalid_request_error","code":"request_timeout"'],
    ["/v1/messages", '{"type":"error","error":{"type":"timeout_error"'],
    ["/v1/messages/count_tokens", '{"type":"error","error":{"type":"timeout_error"'],
  ])("is refused and its memory released: %s", async (route, form) => {
    const { clock, memory, hang } = await setUp();
    const { client } = await hang(1.5 * MiB, { route });
    clock.advance(20_000);
    expect(memory.heldBytes).toBe(1.5 * MiB); // the time in which it moved
    clock.advance(20_000);
    expect(await client.until(form)).toContain("HTTP/1.1 408");
    expect(memory.heldBytes).toBe(0);
  });

  it("is refused even if single bytes drip in", async () => {
    const { clock, hang } = await setUp();
    const { client } = await hang(1_000);
    client.send("x");
    clock.advance(20_000);
    expect(await client.until("request_timeout")).toContain("HTTP/1.1 408");
  });

  it("is not assumed while it keeps arriving, however slowly", async () => {
    const { clock, memory, hang } = await setUp();
    const { client } = await hang(20 * 1024, { announced: 200 * 1024 });
    const bytes = Buffer.from(questionOf(200 * 1024));
    for (let at = 20 * 1024; at < 180 * 1024; at += 20 * 1024) {
      clock.advance(19_000);
      client.send(bytes.subarray(at, at + 20 * 1024));
      await expect.poll(() => memory.heldBytes).toBe(at + 20 * 1024);
    }
    client.send(bytes.subarray(180 * 1024));
    expect(await client.until("Hello")).toContain("HTTP/1.1 200 OK");
  });
});

describe("the bytes of a body", () => {
  const bytes = Buffer.from(Array.from({ length: 400_003 }, (_, index) => index % 251));

  it.each([1, 7, 4_096, 65_536, 300_000, 400_003])("are assembled from slices of %i", (size) => {
    const body = new BodyBytes(bytes.length);
    for (let at = 0; at < bytes.length; at += size) body.push(bytes.subarray(at, at + size));
    expect(body.length).toBe(bytes.length);
    expect(body.whole.equals(bytes)).toBe(true);
  });

  it("are copied from the slices", () => {
    const body = new BodyBytes(100);
    const slices = [Buffer.from("ab"), Buffer.from("cd"), Buffer.from("ef")];
    for (const slice of slices) body.push(slice);
    for (const slice of slices) slice.fill("x");
    expect(body.whole.toString()).toBe("abcdef");
  });

  it("are freed at once when released, if they are many", () => {
    const body = new BodyBytes(bytes.length);
    body.push(bytes.subarray(0, 200_000));
    body.push(bytes.subarray(200_000));
    const { whole } = body;
    body.letGo();
    expect([whole.length, whole.buffer.byteLength, body.length, body.whole.length]).toEqual([0, 0, 0, 0]);
  });

  it("take at most twice the memory of what has arrived, whatever was announced", () => {
    const body = new BodyBytes(bytes.length);
    for (let at = 0; at < 100; at++) body.push(Buffer.from("x"));
    expect(body.whole.buffer.byteLength).toBeLessThanOrEqual(200);
  });

  it("that come in one piece are not copied, and may be empty", () => {
    const body = new BodyBytes(bytes.length);
    expect(body.whole).toHaveLength(0);
    body.push(bytes);
    expect(body.whole).toBe(bytes);
  });
});
