import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { END, encodeEnvelope } from "../../simulator/envelope.js";
import { AgentServerMessageSchema } from "../../src/gen/agent_v1_pb.js";
import { type CutKind, type CuttingRelay, startCuttingRelay } from "./cutting-relay.js";

const message = (value: Parameters<typeof create<typeof AgentServerMessageSchema>>[1]) =>
  encodeEnvelope(0, toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, value)));
const heartbeat = message({
  message: { case: "interactionUpdate", value: { message: { case: "heartbeat", value: {} } } },
});
const say = (text: string) =>
  message({ message: { case: "interactionUpdate", value: { message: { case: "textDelta", value: { text } } } } });
const end = encodeEnvelope(END, Buffer.from("{}"));

let server: Http2Server;
let relay: CuttingRelay;
let session: ClientHttp2Session;
let hasServerLostTheStream: boolean;
beforeEach(async () => {
  hasServerLostTheStream = false;
  server = createServer();
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.once("aborted", () => {
      hasServerLostTheStream = true;
    });
    stream.respond({ ":status": 200 });
    stream.write(Buffer.concat([heartbeat, say("one")]));
    // The rest comes when the client has asked for it.
    stream.on("data", (chunk: Buffer) => stream.end(Buffer.concat([say(chunk.toString()), end])));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  relay = await startCuttingRelay();
  relay.connectTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  session = connect(relay.url);
  session.on("error", () => {});
});
afterEach(async () => {
  session.destroy();
  await relay.close();
  server.close();
});

function run() {
  const stream = session.request({ ":method": "POST", ":path": "/agent.v1.AgentService/Run" }, { endStream: false });
  const seen = { bytes: Buffer.alloc(0), hasEnded: false, error: "" };
  stream.on("data", (chunk: Buffer) => {
    seen.bytes = Buffer.concat([seen.bytes, chunk]);
  });
  stream.once("end", () => {
    seen.hasEnded = true;
  });
  stream.once("error", (error) => {
    seen.error = error.message;
  });
  return { stream, seen };
}

const closed = (stream: ClientHttp2Stream) => new Promise<void>((resolve) => stream.once("close", resolve));

describe("the relay", () => {
  it("passes both directions on untouched, and counts everything but heartbeats", async () => {
    relay.plan();
    const { stream, seen } = run();
    stream.end("two");
    await closed(stream);
    expect(seen).toEqual({ bytes: Buffer.concat([heartbeat, say("one"), say("two"), end]), hasEnded: true, error: "" });
    expect(relay.envelopes).toEqual(["textDelta", "textDelta", "end"]);
    expect(relay.hasCut).toBe(false);
  });

  it.each([
    { kind: "reset", rest: "", hasEnded: false, error: expect.stringContaining("NGHTTP2_INTERNAL_ERROR") },
    { kind: "end", rest: "", hasEnded: true, error: "" },
    { kind: "end-frame", rest: "{}", hasEnded: true, error: "" },
    { kind: "error", rest: '{"error":{"code":"unavailable","message":"cut by the relay"}}', hasEnded: true, error: "" },
    { kind: "goaway", rest: "", hasEnded: expect.any(Boolean), error: expect.anything() },
  ] as const)("breaks a stream off by $kind, behind what came before it, and leaves the next alone", async (cut) => {
    relay.plan({ kind: cut.kind satisfies CutKind, envelope: 2 });
    const { stream, seen } = run();
    stream.write("two");
    stream.once("end", () => stream.end());
    await closed(stream);
    const before = Buffer.concat([heartbeat, say("one")]);
    expect(seen.bytes.subarray(0, before.length)).toEqual(before);
    expect(seen.bytes.subarray(before.length + (cut.rest === "" ? 0 : 5)).toString()).toBe(cut.rest);
    expect(seen).toMatchObject({ hasEnded: cut.hasEnded, error: cut.error });
    expect(relay.hasCut).toBe(true);
    if (session.closed || session.destroyed) session = connect(relay.url);
    const next = run();
    next.stream.end("three");
    await closed(next.stream);
    expect(next.seen).toMatchObject({ hasEnded: true, error: "" });
  });

  it("can fall silent in both directions, and tells the server when the client gives up", async () => {
    const { stream, seen } = run();
    await expect.poll(() => seen.bytes.length).toBeGreaterThan(0);
    relay.cutNow("silence");
    stream.write("two");
    await new Promise((resolve) => session.ping(resolve));
    expect(seen).toMatchObject({ hasEnded: false, error: "" });
    expect(relay.envelopes).toEqual(["textDelta"]);
    stream.close();
    await expect.poll(() => hasServerLostTheStream).toBe(true);
  });
});
