import { IncomingMessage, request } from "node:http";
import { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { jsonPost, RawClient } from "../../../../../testing/clients/raw-client.js";
import { turnsDuring } from "../../../../../testing/event-loop.js";
import { askedServer, hello } from "../../../../../testing/gateway/asked-server.js";
import { startScriptedServer } from "../../../../../testing/gateway/scripted-server.js";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { startedOnce } from "../../../../../testing/started.js";
import { RequestMemory } from "../request-memory.js";
import { readJson, requireJson } from "./read-body.js";

const path = "/v1/chat/completions";
const LIMIT = 64 * 1024;
const question = { model: "auto", messages: [{ role: "user", content: "Grüße 🦆" }] };
const json = { "content-type": "application/json" };

const server = startedOnce(() => startScriptedServer({ steps: hello, config: { bodyLimitBytes: LIMIT } }));

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) {
  const response = await fetch(server.url + path, { method: "POST", headers, body });
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  return { status: response.status, code: error?.code, message: error?.message };
}

/** A question of about this many bytes. */
function questionOf(bytes: number): string {
  return JSON.stringify({ ...question, messages: [{ role: "user", content: "x".repeat(bytes) }] });
}

describe("a body", () => {
  it("may arrive in slices of 13 bytes", async () => {
    const client = await RawClient.connect(server.port);
    const bytes = Buffer.from(jsonPost(path, question));
    for (let at = 0; at < bytes.length; at += 13) {
      client.send(bytes.subarray(at, at + 13));
      await new Promise(setImmediate);
    }
    expect(await client.until("Hello")).toContain("HTTP/1.1 200 OK");
    expect(server.backend.exchanges.at(-1)?.turn.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Grüße 🦆" }] },
    ]);
    client.socket.destroy();
  });

  const plain = Buffer.from(JSON.stringify(question));
  it.each([
    ["identity", plain],
    ["gzip", gzipSync(plain)],
    ["GZIP", gzipSync(plain)],
    ["x-gzip", gzipSync(plain)],
    ["br", brotliCompressSync(plain)],
    ["deflate", deflateSync(plain)],
    ["deflate", deflateRawSync(plain)],
  ])("is inflated: %s", async (encoding, bytes) => {
    expect(await post(bytes, { ...json, "content-encoding": encoding })).toMatchObject({ status: 200 });
  });

  it.each([
    ["gzip", plain],
    ["br", plain],
    ["deflate", plain],
    ["gzip", gzipSync(plain).subarray(0, 20)],
    ["gzip", Buffer.alloc(0)],
  ])("that cannot be inflated is a bad request: %s", async (encoding, bytes) => {
    expect(await post(bytes, { ...json, "content-encoding": encoding })).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
  });

  it.each(["zstd", "gzip, gzip", "constructor"])("in an encoding unknown here is refused: %s", async (encoding) => {
    const answer = await post(plain, { ...json, "content-encoding": encoding });
    expect(answer).toMatchObject({ status: 415, code: "unsupported_media_type" });
    expect(answer.message).toContain("gzip, deflate and br");
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
  ])("that is small only while compressed is too large: %s", async (encoding, compress) => {
    const small = compress(questionOf(8 * 1024 * 1024));
    expect(small.length).toBeLessThan(LIMIT);
    expect(await post(small, { ...json, "content-encoding": encoding })).toMatchObject({
      status: 413,
      code: "body_too_large",
    });
  });

  it("of exactly the limit is accepted, one byte more is not", async () => {
    const overhead = questionOf(0).length;
    expect((await post(questionOf(LIMIT - overhead))).status).toBe(200);
    expect(await post(questionOf(LIMIT - overhead + 1))).toMatchObject({ status: 413, code: "body_too_large" });
  });
});

describe("a body that is too large", () => {
  const head = (headers: string) =>
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`;

  it("is refused by its content-length before any of it was sent", async () => {
    const client = await RawClient.connect(server.port);
    client.send(head("content-length: 999999999"));
    const answer = await client.until('"body_too_large"');
    expect(answer).toContain("HTTP/1.1 413");
    expect(answer.toLowerCase()).toContain("connection: close");
    client.socket.destroy();
  });

  it("is refused while it arrives if it has no content-length", async () => {
    const client = await RawClient.connect(server.port);
    client.send(head("transfer-encoding: chunked"));
    const chunk = `2000\r\n${"x".repeat(0x2000)}\r\n`;
    for (let sent = 0; sent <= LIMIT; sent += 0x2000) client.send(chunk);
    expect(await client.until('"body_too_large"')).toContain("HTTP/1.1 413");
    client.socket.destroy();
  });

  it("does not keep its sender from receiving the answer, however late it reads", async () => {
    const body = Buffer.alloc(16 * 1024 * 1024, "x");
    const status = await new Promise((resolve, reject) => {
      const sending = request(server.url + path, {
        method: "POST",
        headers: { ...json, "content-length": body.length },
      });
      sending.on("error", reject);
      sending.on("response", (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode));
      });
      sending.end(body);
    });
    expect(status).toBe(413);

    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send(head(`content-length: ${body.length}`));
    await new Promise<void>((resolve) => client.socket.write(body, () => resolve()));
    client.socket.resume();
    expect(await client.until('"body_too_large"')).toContain("HTTP/1.1 413");
    await client.closed;
  });

  async function refused() {
    const clock = new ManualClock();
    const own = await askedServer({ clock, config: { bodyLimitBytes: 10 } });
    const client = await own.connect();
    client.send(head("content-length: 1000"));
    await client.until('"body_too_large"');
    await expect.poll(() => clock.sleeping).toBe(1);
    return { clock, client, ...own };
  }

  it("is read only for a limited time", async () => {
    const { clock, client, requests } = await refused();
    clock.advance(2_000);
    await client.closed;
    expect(requests).toMatchObject([{ status: 413, outcome: "body_too_large" }]);
  });

  it("frees its connection as soon as it has ended", async () => {
    const { client } = await refused();
    client.send("x".repeat(1_000));
    await client.closed;
  });

  it("is logged as such even when the client hangs up on the answer", async () => {
    const { client, requests } = await refused();
    client.socket.destroy();
    await expect.poll(() => requests).toMatchObject([{ status: 413, outcome: "body_too_large" }]);
  });
});

it("a body is abandoned when the client leaves in the middle of it", async () => {
  const own = await askedServer();
  const client = await own.connect();
  client.send(jsonPost(path, question).slice(0, -10));
  await expect.poll(() => own.responses.length).toBe(1);
  client.socket.destroy();
  await expect.poll(() => own.requests).toMatchObject([{ outcome: "client-left", status: 499 }]);
  expect(own.backend.exchanges).toHaveLength(0);
});

describe("the parser", () => {
  const deps = { clock: new ManualClock(), bodyLimitBytes: 1024 * 1024, memory: new RequestMemory(1024 * 1024) };
  const read = async (bytes: number) => {
    const incoming = Object.assign(new IncomingMessage(new Socket()), { headers: {} });
    incoming.push(questionOf(bytes));
    incoming.push(null);
    const turns = await turnsDuring(() => readJson(incoming, deps.memory.hold(), deps));
    incoming.destroy();
    return turns;
  };

  it("parses a long body in its own turn of the event loop, a short one at once", async () => {
    expect([await read(10), await read(300 * 1024)]).toEqual([0, 2]);
  });
});

describe("the type of a body", () => {
  it.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json ; charset=utf8; profile=x",
    "application/vnd.api+json",
    undefined,
    "",
  ])("%j is taken", (type) => {
    expect(() => requireJson(type === undefined ? {} : { "content-type": type })).not.toThrow();
  });

  it.each([
    "text/plain",
    "text/plain; application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/json; charset=utf-16",
    "application/json; charset=latin1",
    "json",
  ])("%j is refused", (type) => {
    expect(() => requireJson({ "content-type": type })).toThrowError(
      expect.objectContaining({ code: "unsupported_media_type", message: expect.stringContaining("application/json") }),
    );
  });

  it("may be omitted by programs, but not by web pages", () => {
    expect(() => requireJson({ origin: "https://evil.example" })).toThrowError(
      expect.objectContaining({ code: "unsupported_media_type" }),
    );
  });
});
