import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  ClientSideToolV2,
  GetChatRequestSchema,
  ConversationMessage_MessageType as Role,
  StreamChatResponseSchema,
  StreamUnifiedChatRequestWithToolsSchema,
  StreamUnifiedChatResponseWithToolsSchema,
} from "@curlew/wire/gen/chat_v1_pb.js";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type OpenCall, openCall } from "../../../testing/simulator/chat-client.js";
import { tokenFor } from "../../../testing/simulator/rest-client.js";
import { startedOnce } from "../../../testing/started.js";
import { defaultOptions, startSimulator } from "../index.js";
import { type Envelope, encodeEnvelope, encodeGzipEnvelope } from "../server/envelope.js";

const simulator = startedOnce(() => startSimulator());
let token: string;
beforeAll(async () => {
  token = await tokenFor(simulator, "crsr_legacy");
});
beforeEach(() => simulator.configure({ ...defaultOptions, legacy: "working" }));

const STREAM_CHAT = "/aiserver.v1.AiService/StreamChat";
const UNIFIED = "/aiserver.v1.ChatService/StreamUnifiedChatWithTools";

function chatRequest(text: string, modelName = "gpt-5.5"): Uint8Array {
  const conversation = [
    { text: "earlier", type: Role.HUMAN },
    { text: "an answer", type: Role.AI },
    { text, type: Role.HUMAN },
    { text: "half an answer", type: Role.AI },
  ];
  return toBinary(GetChatRequestSchema, create(GetChatRequestSchema, { conversation, modelDetails: { modelName } }));
}

function unifiedRequest(text: string, tools: string[] = []): Uint8Array {
  const value = {
    conversation: [{ text, type: Role.HUMAN }],
    modelDetails: { modelName: "gpt-5.5" },
    mcpTools: tools.map((name) => ({ name })),
  };
  const request = { case: "streamUnifiedChatRequest" as const, value };
  return toBinary(
    StreamUnifiedChatRequestWithToolsSchema,
    create(StreamUnifiedChatRequestWithToolsSchema, { request }),
  );
}

async function collect(call: OpenCall): Promise<{ messages: Envelope[]; last: Envelope; end: { error?: Failure } }> {
  const frames: Envelope[] = [];
  for await (const each of call.frames()) frames.push(each);
  const last = frames.pop();
  if (last === undefined) throw new Error("no frame came");
  return { messages: frames, last, end: JSON.parse(last.payload.toString()) };
}

interface Failure {
  code: string;
  details?: { debug: { error: string; details: { title: string; detail: string } } }[];
}

describe.each(["1.1", "2"] as const)("over HTTP/%s", (httpVersion) => {
  const open = (path: string, headers?: Record<string, string>) =>
    openCall(httpVersion, simulator.url + path, token, headers);
  const ask = (path: string, payload: Uint8Array, headers: Record<string, string> = {}) => {
    const call = open(path, headers);
    call.write(encodeEnvelope(0, payload));
    call.end();
    return collect(call).finally(call.abandon);
  };
  const chat = (text: string, model?: string) => ask(STREAM_CHAT, chatRequest(text, model));
  const textOf = (frames: Envelope[]) =>
    frames.map(({ payload }) => fromBinary(StreamChatResponseSchema, payload).text).join("");
  const unifiedOf = (frames: Envelope[]) =>
    frames.map(({ payload }) => fromBinary(StreamUnifiedChatResponseWithToolsSchema, payload).response);

  describe("a working StreamChat", () => {
    it("repeats the last words of the user and ends with a compressed end frame", async () => {
      const { messages, last, end } = await chat("what about terns?");
      expect(textOf(messages)).toContain("what about terns?");
      expect(messages.length).toBeGreaterThan(3);
      expect(last.flags).toBe(3);
      expect(end).toEqual({});
    });

    it("reads compressed requests, in pieces of one byte, and compresses every frame when the option says so", async () => {
      simulator.configure({ gzip: true });
      const call = open(STREAM_CHAT);
      for (const byte of encodeGzipEnvelope(0, chatRequest("[[say squeezed]]"))) call.write(Buffer.of(byte));
      call.end();
      const { messages } = await collect(call).finally(call.abandon);
      expect(textOf(messages)).toBe("squeezed");
      expect(messages.every(({ flags }) => flags === 1)).toBe(true);
    });

    it("fails on a directive, an error model name or an unknown model", async () => {
      const named = await chat("[[say before]] [[fail unavailable ERROR_SLOW_POOL]] [[say after]]");
      expect(textOf(named.messages)).toBe("before");
      expect(named.end.error).toMatchObject({
        code: "unavailable",
        details: [{ debug: { error: "ERROR_SLOW_POOL" } }],
      });
      const bare = await chat("[[fail aborted]]");
      expect(bare.end.error?.code).toBe("aborted");
      expect(bare.end.error).not.toHaveProperty("details");
      const byModel = await chat("hello", "sim-error-43-invalid_argument");
      expect(byModel.end.error?.details?.[0]?.debug.error).toBe("ERROR_CONVERSATION_TOO_LONG");
      const unknown = await chat("hello", "auto");
      expect(unknown.end.error?.details?.[0]?.debug.error).toBe("ERROR_BAD_MODEL_NAME");
    });

    it("answers invalid protobuf with an internal error", async () => {
      const { end } = await ask(STREAM_CHAT, Uint8Array.from([0x00, 0xff, 0xff]));
      expect(end.error?.code).toBe("internal");
    });
  });

  describe("a working StreamUnifiedChatWithTools", () => {
    it("thinks and speaks", async () => {
      const { messages, end } = await ask(UNIFIED, unifiedRequest("[[think well now]] [[say hello there]]"));
      const responses = unifiedOf(messages).map((response) =>
        response.case === "streamUnifiedChatResponse" ? response.value : undefined,
      );
      expect(responses.map((each) => each?.thinking?.text ?? "").join("")).toBe("well now");
      expect(responses.map((each) => each?.text ?? "").join("")).toBe("hello there");
      expect(end).toEqual({});
    });

    it("calls an offered tool on the open stream and continues with its result", async () => {
      const call = open(UNIFIED);
      call.write(encodeEnvelope(0, unifiedRequest('[[call look {"at":"sea"}]] then [[say done]]', ["look"])));
      const frames = call.frames();
      const asked = await frames.next();
      const { response } = fromBinary(
        StreamUnifiedChatResponseWithToolsSchema,
        asked.value?.payload ?? Buffer.alloc(0),
      );
      expect(response).toMatchObject({
        case: "clientSideToolV2Call",
        value: { tool: ClientSideToolV2.MCP, name: "look", rawArgs: '{"at":"sea"}' },
      });
      const toolCallId = response.case === "clientSideToolV2Call" ? response.value.toolCallId : "";
      const value = { tool: ClientSideToolV2.MCP, toolCallId, mcpResult: { result: "blue" } };
      const result = create(StreamUnifiedChatRequestWithToolsSchema, {
        request: { case: "clientSideToolV2Result", value },
      });
      call.write(encodeEnvelope(0, toBinary(StreamUnifiedChatRequestWithToolsSchema, result)));
      let text = "";
      for await (const { flags, payload } of frames) {
        if ((flags & 2) !== 0) continue;
        const said = fromBinary(StreamUnifiedChatResponseWithToolsSchema, payload).response;
        if (said.case === "streamUnifiedChatResponse") text += said.value.text;
      }
      call.abandon();
      expect(text).toBe("Result of look: blue\ndone");
    });

    it("ends when the client leaves a call open for a new request", async () => {
      const { messages, end } = await ask(UNIFIED, unifiedRequest("[[call look {}]] then [[say done]]", ["look"]));
      expect(unifiedOf(messages).map((response) => response.case)).toEqual(["clientSideToolV2Call"]);
      expect(end).toEqual({});
    });

    it("requires a checksum from the desktop app", async () => {
      const refused = await ask(UNIFIED, unifiedRequest("hello"), { "x-cursor-client-type": "ide" });
      expect(refused.end.error).toMatchObject({ code: "permission_denied" });
      expect(refused.end.error?.details?.[0]?.debug.details.detail).toContain("it is missing");
      const headers = { "x-cursor-client-type": "ide", "x-cursor-checksum": `5XZ4Ziq_${"ab".repeat(32)}` };
      expect((await ask(UNIFIED, unifiedRequest("hello"), headers)).end).toEqual({});
    });

    it("tells a denied version to update", async () => {
      simulator.configure({ deniedVersions: ["cli-old"] });
      const { end } = await ask(UNIFIED, unifiedRequest("hello"), { "x-cursor-client-version": "cli-old" });
      expect(end.error).toMatchObject({
        code: "resource_exhausted",
        details: [{ debug: { error: "ERROR_GPT_4_VISION_PREVIEW_RATE_LIMIT", details: { title: "Update Required" } } }],
      });
    });
  });

  describe("retired calls", () => {
    it("answer 200 and one end frame that says why", async () => {
      simulator.configure({ legacy: "retired" });
      const unified = await ask(UNIFIED, unifiedRequest("hello"));
      expect(unified.messages).toEqual([]);
      expect(unified.last.flags).toBe(2);
      expect(unified.end.error?.details?.[0]?.debug.details.title).toBe("Update Required");
      const old = await chat("hello");
      expect(old.messages).toEqual([]);
      expect(old.end.error?.details?.[0]?.debug.error).toBe("ERROR_DEPRECATED");
    });
  });

  describe("calls that were retired first", () => {
    it.each(["StreamChatWeb", "StreamChatContext", "StreamChatDeepContext", "TaskStreamChatContext"])(
      "%s stays retired while the others work",
      async (name) => {
        const { messages, end } = await ask(`/aiserver.v1.AiService/${name}`, chatRequest("hello"));
        expect(messages).toEqual([]);
        expect(end.error).toMatchObject({
          code: "failed_precondition",
          details: [{ debug: { error: "ERROR_DEPRECATED" } }],
        });
      },
    );
  });

  describe("calls that hang", () => {
    it.each([
      ["hanging", UNIFIED],
      ["hanging", STREAM_CHAT],
      ["retired", `${UNIFIED}SSE`],
      ["working", `${UNIFIED}Poll`],
    ] as const)("when %s, %s accepts the request and never answers", async (legacy, path) => {
      simulator.configure({ legacy });
      const call = open(path);
      call.write(encodeEnvelope(0, unifiedRequest("hello")));
      call.end();
      expect(await call.status()).toBe(200);
      const first = call.frames().next();
      // Anything else would have come before the answer to a later request.
      const later = fetch(`${simulator.url}/__sim/stats`).then(() => "silence");
      expect(await Promise.race([first.catch(() => "broken"), later])).toBe("silence");
      const closed = call.closed();
      call.abandon();
      await closed;
      await first.catch(() => {});
    });
  });

  it("refuses a call without a valid token, or of another content type", async () => {
    const unknown = open(UNIFIED, { authorization: "Bearer nobody" });
    unknown.end();
    expect(await unknown.status()).toBe(401);
    unknown.abandon();
    const json = open(UNIFIED, { "content-type": "application/json" });
    json.end();
    expect(await json.status()).toBe(415);
    json.abandon();
  });
});
