import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { AgentServerMessageSchema, type ExecServerMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { beforeEach, describe, expect, it } from "vitest";
import { memoryBlobs } from "../../../../../testing/backends/scripted/index.js";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { repliesWith } from "../../exchange/replies.cases.js";
import { noDrift, writtenAnswers } from "../answers/questions.js";
import { BlobStore } from "../request/blobs.js";
import { ClientCalls } from "./client-calls.js";
import { TurnReader } from "./turn-reader.js";

const QUIET_MS = 250;
const NAMED_CALL_MS = 1_500;
const tools = ["a", "b"].map((name) => ({ name, description: "", inputSchema: { type: "object" } }));

type Said = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>["message"]>;
type Asked = NonNullable<MessageInitShape<typeof ExecServerMessageSchema>["message"]>;

let clock: ManualClock;
let calls: ClientCalls;
let pauses: number;
let answers: number;
let say: (...messages: readonly Said[]) => void;

beforeEach(() => {
  clock = new ManualClock();
  pauses = answers = 0;
  const replies = repliesWith({ clock, quietMs: QUIET_MS, onPause: () => void pauses++ });
  replies.read();
  let made = 0;
  calls = new ClientCalls({
    newCallId: () => `call_${++made}`,
    record: [],
    fingerprint: (...parts) => parts.join(" "),
  });
  const reader = new TurnReader({
    mapsNativeTools: true,
    namedCallMs: NAMED_CALL_MS,
    clientName: (name) => name,
    answers: {
      system: "",
      tools,
      callable: tools,
      allowsWeb: false,
      blobs: new BlobStore(memoryBlobs()),
      onMissingBlob() {},
      drift: noDrift(),
      written: writtenAnswers("", tools),
    },
    calls,
    replies,
    clock,
    write: () => void answers++,
    onAsked() {},
    onNotice() {},
  });
  say = (...messages) => {
    for (const message of messages) {
      const bytes = Buffer.from(toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message })));
      reader.read(bytes, 0, bytes.length);
    }
  };
});

let execs = 0;
const exec = (message: Asked): Said => ({ case: "execServerMessage", value: { id: ++execs, message } });
const call = (name: string, more: object = {}): Said =>
  exec({ case: "mcpArgs", value: { name, toolName: name, toolCallId: `id-${name}`, ...more } });
const read = (): Said => exec({ case: "readArgs", value: { path: "/x", toolCallId: "id-read" } });
const staged = (...names: string[]): Said => ({
  case: "conversationCheckpointUpdate",
  value: { pendingToolCalls: names.map((name) => JSON.stringify({ toolCallId: `id-${name}` })) },
});

describe("a group of calls", () => {
  it.each([
    ["before", () => [staged("read", "a"), read(), call("a")]],
    ["after", () => [staged("a", "read"), call("a"), read()]],
    ["of an unknown tool after", () => [staged("a", "nothing"), call("a"), call("nothing")]],
  ])("is complete when the only other call, %s the client's, is refused at once", (_, group) => {
    say(...group());
    expect(answers).toBeGreaterThan(0);
    expect([calls.isGroupComplete, calls.isCallNamed]).toEqual([true, false]);
  });

  it("is not completed by several questions about one call, nor by one that only asks for approval", () => {
    say(staged("a", "b", "read"), call("a"), read(), read(), call("b", { smartModeApprovalOnly: true }));
    expect([calls.isGroupComplete, calls.isCallNamed]).toEqual([false, true]);
    say(call("b"));
    expect(calls.isGroupComplete).toBe(true);
  });

  it("is waited for longer as soon as a checkpoint names a call that has not come", () => {
    say(call("a"));
    clock.advance(100);
    say(staged("a", "b"));
    clock.advance(NAMED_CALL_MS - 1);
    expect(pauses).toBe(0);
    clock.advance(1);
    expect(pauses).toBe(1);
  });

  it("is not waited for longer when the checkpoint names what has come", () => {
    say(call("a"));
    clock.advance(100);
    say(staged("a"));
    clock.advance(QUIET_MS - 100);
    expect(pauses).toBe(1);
  });
});

describe("a message of many megabytes", () => {
  const update = (value: object): Said => ({ case: "interactionUpdate", value: { message: value as never } });
  const text = "x".repeat(3 * 1024 * 1024);

  it.each(["textDelta", "thinkingDelta"])("is refused when it is text: %s", (kind) => {
    expect(() => say(update({ case: kind, value: { text } }))).toThrow("more text at once");
    expect(() => say(update({ case: kind, value: { text: text.slice(0, 1024 * 1024) } }))).not.toThrow();
  });

  it("is read when it is the result of a call", () => {
    const result = {
      result: { case: "success", value: { content: [{ content: { case: "text", value: { text } } }] } },
    };
    const tool = { case: "mcpToolCall", value: { result } };
    const completed = update({ case: "toolCallCompleted", value: { callId: "c", toolCall: { tool } } });
    expect(() => say(completed)).not.toThrow();
  });
});
