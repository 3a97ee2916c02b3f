import { hash } from "node:crypto";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { AgentServerMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { ErrorDetailsSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { captureText } from "@curlew/wire/messages/capture-format.js";
import { describe, expect, it } from "vitest";
import { finishCapture } from "./finish-capture.js";
import { RawCapture } from "./raw-capture.js";
import type { ShownLists } from "./shown-texts.js";

const RUN = "/agent.v1.AgentService/Run";
const CONNECT = { "content-type": "application/connect+proto" };
const ID = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";

function reduced(raw: RawCapture, shown: ShownLists = {}): string {
  return captureText(finishCapture(raw, { by: "record", version: "0", nowMs: 0, shown }));
}

function answer(path: string, headers: Record<string, string>, body: string | Uint8Array, status = 200): RawCapture {
  const raw = new RawCapture(() => 0);
  const call = raw.open({ method: "POST", path, http: "1.1", headers: {} });
  call.answered(status, headers);
  call.received(Buffer.from(body));
  call.ended("complete");
  return raw;
}

/** A run in which the server sends one message. */
function sends(sent: MessageInitShape<typeof AgentServerMessageSchema>, headers = {}): RawCapture {
  const raw = new RawCapture(() => 0);
  const call = raw.open({ method: "POST", path: RUN, http: "2", headers: { ...CONNECT, ...headers } });
  call.answered(200, CONNECT);
  call.received(toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, sent)));
  call.ended("end-frame", { json: "{}" });
  return raw;
}

describe("what a capture keeps", () => {
  const json = { "content-type": "application/json" };

  it("excludes numbers and names of an account", () => {
    const body = JSON.stringify({ planUsage: { totalSpend: 1240 }, ada: { "b@example.org": 3 }, teamId: 77 });
    const text = reduced(answer("/aiserver.v1.DashboardService/GetCurrentPeriodUsage", json, body));
    expect(text).not.toMatch(/1240|\bada\b|example|77/);
    expect(text).toContain('"name":"planUsage"');
  });

  it("is only the status of a sign-in", () => {
    const raw = answer("/auth/exchange_user_api_key", { ...json, "set-cookie": "s=1" }, '{"accessToken":"abc"}');
    const text = reduced(raw);
    expect(text).not.toContain("abc");
    expect(text.split("\n").map((line) => line && JSON.parse(line).type)).toEqual([
      "capture",
      "call",
      "head",
      "end",
      "",
    ]);
  });

  it("is the kind of an error, by Cursor's own words, and no other words", () => {
    const error = {
      code: "resource_exhausted",
      message: "Ada has hit the usage limit of ada@example.org",
      details: [],
    };
    const text = reduced(answer(RUN, json, JSON.stringify(error), 429));
    expect(text).toContain("resource_exhausted");
    expect(text).toContain(" usage limit ");
    expect(text).not.toMatch(/ada|example/i);
  });

  it("is a run's error that nobody has seen before, in its words, code and number", () => {
    const value = create(ErrorDetailsSchema, {
      details: { title: "Lantern required", detail: `Renew the lantern of ${ID}.` },
    });
    const bytes = Buffer.from([8, 91, ...toBinary(ErrorDetailsSchema, value)]); // 91 has no name yet
    const details = [{ type: ErrorDetailsSchema.typeName, value: bytes.toString("base64") }];
    const error = { code: "lantern_required", message: "The moon is in the way.", details, teamName: "moon" };
    const raw = new RawCapture(() => 0);
    const call = raw.open({ method: "POST", path: RUN, http: "2", headers: CONNECT });
    call.answered(200, CONNECT);
    call.ended("end-frame", { json: JSON.stringify({ error }) });
    const text = reduced(raw);
    for (const shown of ['"lantern_required"', '"The moon is in the way."', '"Lantern required"', '"number":91'])
      expect(text).toContain(shown);
    expect(text).not.toMatch(/3f2504e0|Renew|"moon"/);
    // Of an account, a refusal may name people in words alone.
    const path = "/aiserver.v1.DashboardService/GetMe";
    expect(reduced(answer(path, json, '{"message":"Ada has left"}', 403))).not.toContain("Ada");
  });

  it("is an id by its number, also inside of a text", () => {
    const value = { pendingToolCalls: [`{"id":"${ID}"}`] };
    const text = reduced(sends({ message: { case: "conversationCheckpointUpdate", value } }, { "x-request-id": ID }));
    expect(text).not.toContain(ID);
    expect(text).toContain('[{"bytes":7,"escapes":3},{"id":"id-1","bytes":36},{"bytes":2,"escapes":1}]');
  });

  it("is a blob's content by its hash, although the content is as long as one", () => {
    const blobData = Buffer.alloc(32, "a lantern ");
    const value = {
      message: { case: "setBlobArgs" as const, value: { blobId: hash("sha256", blobData, "buffer"), blobData } },
    };
    const text = reduced(sends({ message: { case: "kvServerMessage", value } }));
    expect(text).toContain('"pieces":[{"id":"id-1","bytes":32,"hashOf":{"cut":"cut-1","bytes":32}}]');
    expect(text).toContain('"pieces":[{"cut":"cut-1","bytes":32}]');
  });

  it("is the names of the models that Cursor lists, and no word of a refusal, of a request or of another id", () => {
    const path = "/aiserver.v1.AiService/AvailableModels";
    const listed = { items: [{ id: "gpt-5.5", teamId: "ada-team" }] };
    const raw = answer(path, json, JSON.stringify(listed));
    const again = raw.open({ method: "POST", path, http: "1.1", headers: json });
    again.sent(Buffer.from('{"items":["ada-sends"]}'));
    again.answered(403, json);
    again.received(Buffer.from('{"message":"ada-refused","teamId":"gpt-5.5"}'));
    again.ended("complete");
    const text = reduced(raw);
    expect(text.match(/gpt-5\.5/g)).toHaveLength(1);
    expect(text).not.toContain("ada-");
  });

  it("is an id by its number in an error too, however short", () => {
    const text = reduced(answer(RUN, json, '{"teamId":"4711","metadata":{"id":"4712","retryAfter":"4713"}}', 429));
    expect(text).not.toMatch(/4711|4712/);
    expect(text).toContain("4713");
  });

  it("excludes numbers in a tool's arguments", () => {
    const pin = create(ValueSchema, { kind: { case: "numberValue", value: 4711 } });
    const args = { name: "open_door", args: { pin } };
    const pinBytes = Buffer.alloc(8);
    pinBytes.writeDoubleLE(4711);
    const value = { message: { case: "mcpArgs" as const, value: args } };
    const text = reduced(sends({ message: { case: "execServerMessage", value } }));
    expect(text).toContain('"name":"number_value","kind":"fixed"');
    expect(text).not.toContain(pinBytes.toString("hex"));
  });

  it("is the headers of the protocol, and not their messages", () => {
    const headers = { "grpc-status": "8", "grpc-message": "Ada is out of credits", "connect-protocol-version": "1" };
    const raw = answer(RUN, { ...json, ...headers, "connect-person": "Ada" }, "{}");
    const text = reduced(raw);
    expect(text).toContain('{"name":"grpc-status","pieces":["8"]}');
    expect(text).toContain('{"name":"connect-protocol-version","pieces":["1"]}');
    expect(text).not.toContain("Ada");
  });

  it("ends before the call that makes it too long, and says so", () => {
    const raw = answer(RUN, json, "{}");
    for (let more = 0; more < 3; more++) {
      const call = raw.open({ method: "POST", path: RUN, http: "2", headers: {} });
      call.ended("canceled");
    }
    const made = (maxBytes = 1_000_000) =>
      finishCapture(raw, { by: "record", version: "0", nowMs: 0, shown: {}, maxBytes });
    const whole = Buffer.byteLength(captureText(made()));
    const cut = made(whole - 1);
    expect(cut.calls).toEqual(made().calls.slice(0, -1));
    expect(cut.header.isWhole).toBe(false);
    expect(Buffer.byteLength(captureText(cut))).toBeLessThan(whole);
    expect(made(whole + 1).header.isWhole).toBe(true);
  });

  it("ends where the recorder has no more room, and says so", () => {
    const raw = new RawCapture(() => 0);
    const call = raw.open({ method: "POST", path: RUN, http: "2", headers: CONNECT });
    for (let at = 0; at < 9; at++) call.sent(Buffer.alloc(8 * 1024 * 1024));
    expect(raw.isWhole).toBe(false);
    expect(raw.calls[0]?.events).toHaveLength(8);
    raw.open({ method: "POST", path: RUN, http: "2", headers: CONNECT });
    expect(raw.calls).toHaveLength(1);
  });
});
