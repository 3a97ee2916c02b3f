import { Agent, type IncomingMessage, type ServerResponse } from "node:http";
import { fromBinary } from "@bufbuild/protobuf";
import { type BidiAppendRequest, BidiAppendRequestSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { serveHttp } from "../../../../../testing/network/serve-http.js";
import type { GatewayError } from "../../../turn/error.js";
import { toGatewayError } from "../../cursor/errors.js";
import { type AppendDeps, AppendQueue, appendDeadlineMs, sendAppend } from "./append.js";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let origin: string;
let clock: ManualClock;
let over: AbortController;
let answers: Answer[];
/** The requested pauses between attempts. The clock skips them. */
let pauses: number[];
let seen: { append: BidiAppendRequest; token: string }[];
const agent = new Agent({ keepAlive: true });
const fine: Answer = (response) => response.end();

beforeEach(async () => {
  pauses = [];
  clock = Object.assign(new ManualClock(), { sleep: async (ms: number) => void pauses.push(ms) });
  over = new AbortController();
  answers = [];
  seen = [];
  origin = await serveHttp(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const append = fromBinary(BidiAppendRequestSchema, Buffer.concat(parts));
    seen.push({ append, token: request.headers.authorization ?? "" });
    (answers.shift() ?? fine)(response, request);
  });
});
afterEach(() => over.abort());

const send = (seqno: number, payload: Uint8Array = Buffer.from("hello")) => {
  let renewals = 0;
  const deps: AppendDeps = {
    origin,
    agent,
    headers: { "content-type": "application/proto" },
    requestId: "run-1",
    tokens: { get: async () => "old", renew: async () => `new-${++renewals}` },
    clock,
    judge: (failure) => toGatewayError(failure),
    signal: over.signal,
  };
  return sendAppend(seqno, payload, deps);
};
const status =
  (code: number, body = ""): Answer =>
  (response) =>
    response.writeHead(code).end(body);
const hangUp: Answer = (_, request) => request.socket.destroy();

describe("an append", () => {
  it("carries its message in lowercase hex, its run and its number", async () => {
    await send(7, Buffer.from([0xab, 0x01]));
    expect(seen[0]).toMatchObject({
      append: { data: "ab01", requestId: { requestId: "run-1" }, appendSeqno: 7n },
      token: "Bearer old",
    });
  });

  it.each([
    ["the connection broke", hangUp],
    ["the server was busy", status(503)],
    ["it was asked to slow down", status(429)],
  ])("is sent again under the same number when %s", async (_, trouble) => {
    answers = [trouble, trouble];
    await send(3);
    expect(pauses).toEqual([250, 500]);
    expect(seen.map(({ append }) => append.appendSeqno)).toEqual([3n, 3n, 3n]);
  });

  it("is given up after four attempts", async () => {
    answers = [hangUp, hangUp, hangUp, hangUp];
    await expect(send(3)).rejects.toMatchObject({ code: "upstream_unreachable", isRetryable: true });
    expect(seen).toHaveLength(4);
  });

  it("that Cursor refuses is not sent again", async () => {
    answers = [status(400, JSON.stringify({ code: "invalid_argument", message: "no" }))];
    await expect(send(3)).rejects.toMatchObject({ code: "bad_request" });
    expect(seen).toHaveLength(1);
  });

  it("gets a new token when the run has outlived its own", async () => {
    answers = [status(401)];
    await send(3);
    expect(seen.map(({ token }) => token)).toEqual(["Bearer old", "Bearer new-1"]);
  });

  it("that begins the run does not renew a refused token itself", async () => {
    answers = [status(401)];
    await expect(send(0)).rejects.toMatchObject({ kind: "authentication" });
    expect(seen).toHaveLength(1);
  });

  it("is sent again after its deadline", async () => {
    answers = [() => {}];
    const sent = send(3);
    await expect.poll(() => seen.length).toBe(1);
    clock.advance(61_000);
    await sent;
    expect(seen).toHaveLength(2);
  });

  it("is abandoned when the run is over", async () => {
    answers = [() => {}];
    const sent = send(3);
    await expect.poll(() => seen.length).toBe(1);
    over.abort();
    await sent;
  });
});

it.each([
  [1, 61_000],
  [128 * 1024, 61_000],
  [1024 * 1024, 68_000],
])("an append of %i bytes has %i ms", (bytes, ms) => {
  expect(appendDeadlineMs(bytes)).toBe(ms);
});

/** A queue whose appends are answered by the test. */
function startQueue() {
  const sent: { seqno: number; bytes: number; done: () => void; fail: (error: Error) => void }[] = [];
  const failures: GatewayError[] = [];
  let timesRoom = 0;
  const queue = new AppendQueue({
    send: (seqno, payload) =>
      new Promise((done, fail) => void sent.push({ seqno, bytes: payload.length, done: () => done(), fail })),
    onFailed: (error) => failures.push(error),
    onRoom: () => {
      timesRoom += 1;
    },
  });
  return { queue, sent, failures, timesRoom: () => timesRoom };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const MIB = 1024 * 1024;

describe("appends", () => {
  it("go out alone first, then at most sixteen at once, numbered in order", async () => {
    const { queue, sent } = startQueue();
    for (let index = 0; index < 40; index++) queue.push(Buffer.from([index]));
    expect(sent.map(({ seqno }) => seqno)).toEqual([0]);
    sent[0]?.done();
    await settled();
    expect(sent.map(({ seqno }) => seqno)).toEqual(Array.from({ length: 17 }, (_, seqno) => seqno));
    sent[9]?.done(); // any append that ends makes room
    await settled();
    expect(sent.at(-1)?.seqno).toBe(17);
  });

  it("are full at eight MiB, and report when they no longer are", async () => {
    const { queue, sent, timesRoom } = startQueue();
    queue.push(Buffer.alloc(5 * MIB));
    expect(queue.isFull).toBe(false);
    queue.push(Buffer.alloc(4 * MIB));
    expect(queue.isFull).toBe(true);
    sent[0]?.done();
    await settled();
    expect([queue.isFull, timesRoom()]).toEqual([false, 1]);
  });

  it("end the run when one fails for good, and send nothing more", async () => {
    const { queue, sent, failures } = startQueue();
    queue.push(Buffer.of(1));
    queue.push(Buffer.of(2));
    sent[0]?.fail(new Error("lost"));
    await settled();
    queue.push(Buffer.of(3));
    expect(failures).toMatchObject([{ code: "server_error" }]);
    expect(sent).toHaveLength(1);
  });

  it("take one message of any size, but no more than 128 MiB together", () => {
    const { queue, failures } = startQueue();
    queue.push(Buffer.alloc(100 * MIB));
    queue.push(Buffer.alloc(28 * MIB));
    expect(failures).toEqual([]);
    queue.push(Buffer.of(1));
    expect(failures).toMatchObject([{ code: "upstream_error" }]);
  });

  it("that wait are dropped when the run is over", async () => {
    const { queue, sent, failures } = startQueue();
    queue.push(Buffer.of(1));
    queue.push(Buffer.of(2));
    queue.close();
    sent[0]?.done();
    await settled();
    expect([sent.length, failures.length]).toEqual([1, 0]);
  });
});
