import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  AgentClientMessageSchema,
  AgentServerMessageSchema,
  BidiRequestIdSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { BidiAppendRequestSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { describe, expect, it } from "vitest";
import { AgentClient, userRun } from "../../../testing/simulator/agent-client.js";
import { postAppend } from "../../../testing/simulator/agent-line.js";
import { startStand, TOKEN } from "../../../testing/simulator/stand.js";
import { startedEach } from "../../../testing/started.js";
import { EnvelopeReader, encodeEnvelope } from "../server/envelope.js";

const stand = startedEach(() => startStand());

const headers = {
  authorization: TOKEN,
  "content-type": "application/connect+proto",
  "x-cursor-client-type": "cli",
  "x-cursor-client-version": "cli-2026.10.01-e373342",
};

type Message = Parameters<AgentClient["send"]>[0];

function encode(message: Message): Uint8Array {
  return toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message }));
}

/** All messages that a client sends for `[[say hi]]`, in order: request, context and acks for all blobs. */
function everything(): Uint8Array[] {
  const context = { case: "requestContextResult" as const, value: {} };
  return [
    encode(userRun("[[say hi]]")),
    encode({ case: "execClientMessage", value: { id: 1, message: context } }),
    encode({ case: "execClientControlMessage", value: { message: { case: "streamClose", value: { id: 1 } } } }),
  ];
}

function ack(id: number): Uint8Array {
  return encode({ case: "kvClientMessage", value: { id, message: { case: "setBlobResult", value: {} } } });
}

async function openSse(requestId: string): Promise<Response> {
  const body = encodeEnvelope(0, toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId })));
  return fetch(`${stand.http1}/agent.v1.AgentService/RunSSE`, {
    method: "POST",
    headers,
    body,
  });
}

/** Reads a stream to its end and stores blobs by appends from this number on. */
async function readSse(response: Response, requestId: string, seqno: number) {
  const reader = new EnvelopeReader();
  let next = seqno;
  let text = "";
  let end = "";
  let endFlags = 0;
  for await (const chunk of response.body ?? []) {
    for (const { flags, payload } of reader.push(Buffer.from(chunk))) {
      if (flags > 1) {
        end = payload.toString();
        endFlags = flags;
        continue;
      }
      const { message } = fromBinary(AgentServerMessageSchema, payload);
      if (message.case === "kvServerMessage")
        postAppend(stand, requestId, next++, ack(message.value.id)).catch(() => {});
      if (message.case !== "interactionUpdate" || message.value.message.case !== "textDelta") continue;
      text += message.value.message.value.text;
    }
  }
  return { text, end, endFlags };
}

describe("RunSSE", () => {
  it("accepts appends in any order, twice, and from before it was opened", async () => {
    const [request = Buffer.of(), context = Buffer.of(), close = Buffer.of()] = everything();
    await postAppend(stand, "r1", 2, close);
    await postAppend(stand, "r1", 0, request);
    await postAppend(stand, "r1", 0, request);
    const response = await openSse("r1");
    expect(response.headers.get("content-type")).toBe("application/connect+proto");
    const read = readSse(response, "r1", 3);
    expect(await postAppend(stand, "r1", 1, context)).toEqual({ status: 200, body: "" });
    await postAppend(stand, "r1", 1, context);
    expect(await read).toEqual({ text: "hi", end: "{}", endFlags: 2 });
    expect(stand.world.stats).toMatchObject({ runs: 1, execsAnswered: 1 });
    expect(await postAppend(stand, "r1", 99, ack(0))).toEqual({ status: 200, body: "" });
  });

  it("reports an unreadable message on the stream", async () => {
    const read = readSse(await openSse("r2"), "r2", 1);
    expect((await postAppend(stand, "r2", 0, Buffer.from([0xff]))).status).toBe(200);
    expect(JSON.parse((await read).end).error.message).toMatch(/^parse binary/);
  });

  it("needs a request id, and one that is not in use", async () => {
    const nameless = await readSse(await openSse(""), "", 0);
    expect(JSON.parse(nameless.end).error.code).toBe("invalid_argument");
    const empty = await fetch(`${stand.http1}/agent.v1.AgentService/RunSSE`, { method: "POST", headers });
    expect(JSON.parse((await readSse(empty, "", 0)).end).error.message).toBe("First message must be a run request");
    const first = await openSse("r3");
    const second = await readSse(await openSse("r3"), "r3", 0);
    expect(JSON.parse(second.end).error.message).toContain("in use");
    await first.body?.cancel();
  });
});

describe("Run", () => {
  it("is refused over HTTP/1.1, as by Cursor's load balancer", async () => {
    const response = await fetch(`${stand.http1}/agent.v1.AgentService/Run`, { method: "POST", headers, body: "x" });
    expect(response.status).toBe(464);
    expect(await response.text()).toBe("");
  });

  it("is refused over HTTP/2, too, where the server advises HTTP/1.1", async () => {
    stand.world.options.transport = "h1";
    const client = new AgentClient(stand);
    expect((await client.ended).status).toBe(464);
  });

  it("refuses content types other than Connect's", async () => {
    const client = new AgentClient(stand, { headers: { "content-type": "application/json" } });
    expect((await client.ended).status).toBe(415);
    expect(stand.world.stats.runs).toBe(0);
  });

  it.each([
    ["breaks the framing", Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]), "resource_exhausted"],
    ["ends before it has begun", Buffer.alloc(0), "invalid_argument"],
  ])("that %s is refused", async (_name, bytes, code) => {
    const stream = stand.http2.request({ ":method": "POST", ":path": "/agent.v1.AgentService/Run", ...headers });
    stream.end(bytes);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const [envelope] = new EnvelopeReader().push(Buffer.concat(chunks));
    expect(JSON.parse(envelope?.payload.toString() ?? "").error.code).toBe(code);
  });
});

describe("BidiAppend", () => {
  const url = () => `${stand.http1}/aiserver.v1.BidiService/BidiAppend`;
  const append = (data: string, requestId = "r9") =>
    create(BidiAppendRequestSchema, { data, requestId: { requestId }, appendSeqno: 0n });

  it.each([
    ["half a byte of hex", toBinary(BidiAppendRequestSchema, append("3a0"))],
    ["no hex", toBinary(BidiAppendRequestSchema, append("zz"))],
    ["no request id", toBinary(BidiAppendRequestSchema, append("3a00", ""))],
    ["no protobuf", Buffer.from([0xff])],
  ])("is refused with %s", async (_name, body) => {
    const response = await fetch(url(), {
      method: "POST",
      headers: { authorization: TOKEN, "content-type": "application/proto" },
      body: Buffer.from(body),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "invalid_argument" });
  });

  it("needs a token", async () => {
    const response = await fetch(url(), { method: "POST", headers: { "content-type": "application/proto" } });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: "unauthenticated" });
  });
});

it("does not handle other paths", async () => {
  const response = await fetch(`${stand.http1}/agent.v1.AgentService/NameAgent`, { method: "POST" });
  expect(response.status).toBe(404);
});
