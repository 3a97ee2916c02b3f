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
const names = Array.from({ length: 20 }, (_, index) => String.fromCharCode(97 + index));
const tools = names.map((name) => ({ name, description: "", inputSchema: { type: "object" } }));

type Said = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>["message"]>;
type Asked = NonNullable<MessageInitShape<typeof ExecServerMessageSchema>["message"]>;

let clock: ManualClock;
let calls: ClientCalls;
let pauses: number;
let answers: number;
let say: (...messages: readonly Said[]) => void;
/** Says everything in one chunk. */
let send: (...messages: readonly Said[]) => void;
/** The names of the calls in each reply so far. */
let groups: () => string[][];

beforeEach(() => {
  clock = new ManualClock();
  pauses = answers = 0;
  const ended: string[][] = [];
  const replies = repliesWith({
    clock,
    quietMs: QUIET_MS,
    onPause: () => {
      pauses++;
      ended.push(reply.flatMap((event) => (event.type === "call" ? [event.name] : [])));
      calls.onPause();
      reply = replies.batch;
      replies.read();
    },
  });
  let reply = replies.batch;
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
    onSettled() {},
  });
  say = (...messages) => {
    for (const message of messages) {
      const bytes = Buffer.from(toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message })));
      reader.read(bytes, 0, bytes.length);
    }
  };
  send = (...messages) => {
    say(...messages);
    reader.watchGroup();
    reader.takeProgress();
  };
  groups = () => ended;
});

let execs = 0;
const exec = (message: Asked): Said => ({ case: "execServerMessage", value: { id: ++execs, message } });
const call = (name: string, more: object = {}): Said =>
  exec({ case: "mcpArgs", value: { name, toolName: name, toolCallId: `id-${name}`, ...more } });
const read = (): Said => exec({ case: "readArgs", value: { path: "/x", toolCallId: "id-read" } });
const update = (value: object): Said => ({ case: "interactionUpdate", value: { message: value as never } });
const listed = (callCount: number): Said => update({ case: "toolRequestsListed", value: { callCount } });
const completed = (name: string): Said => update({ case: "toolCallCompleted", value: { callId: `id-${name}` } });
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

describe("a listed group of calls", () => {
  it.each([3, 8, 20])("of %i that come over two seconds is one, and ends with the last of them", (count) => {
    send(listed(count), staged("a"));
    for (const name of names.slice(0, count)) {
      expect(groups()).toEqual([]);
      clock.advance(2_000 / count);
      send(call(name));
    }
    expect(groups()).toEqual([names.slice(0, count)]);
  });

  it("ends at once however many calls were announced and staged", () => {
    send(
      update({ case: "toolCallStarted", value: { callId: "id-c" } }),
      listed(2),
      staged("a", "b", "c"),
      call("a"),
      call("b"),
    );
    expect(groups()).toEqual([["a", "b"]]);
  });

  it("is waited for while the model works, and then for 1.5 s", () => {
    send(listed(3), call("a"));
    for (const message of [
      update({ case: "toolCallStarted", value: { callId: "id-b" } }),
      update({ case: "textDelta", value: { text: "..." } }),
      call("b"),
    ]) {
      clock.advance(NAMED_CALL_MS - 1);
      send(message);
    }
    clock.advance(NAMED_CALL_MS - 1);
    send(update({ case: "heartbeat", value: {} }));
    expect(groups()).toEqual([]);
    clock.advance(1);
    expect(groups()).toEqual([["a", "b"]]);
  });

  it("leaves a call that comes after that to the next reply, once", () => {
    send(listed(2), call("a"));
    clock.advance(NAMED_CALL_MS);
    send(call("b"));
    clock.advance(QUIET_MS);
    expect(groups()).toEqual([["a"], ["b"]]);
  });

  it("of fewer calls than come leaves the rest to the next reply, or takes what came together", () => {
    send(listed(2), call("a"), call("b"));
    send(call("c"));
    clock.advance(QUIET_MS);
    send(listed(1), call("d"), call("e"));
    expect(groups()).toEqual([["a", "b"], ["c"], ["d", "e"]]);
  });

  it.each([3, 8, 20])("of %i is not needed: a checkpoint that names them all ends the reply as fast", (count) => {
    const group = names.slice(0, count);
    send(staged(...group));
    for (const name of group) {
      expect(groups()).toEqual([]);
      clock.advance(2_000 / count);
      send(call(name));
    }
    expect(groups()).toEqual([group]);
  });

  it.each([3, 8, 20])("of %i is not needed: without a checkpoint, a quiet period ends the reply", (count) => {
    for (const name of names.slice(0, count)) {
      send(call(name));
      clock.advance(QUIET_MS - 1);
    }
    expect(groups()).toEqual([]);
    clock.advance(1);
    expect(groups()).toEqual([names.slice(0, count)]);
  });

  it("of no calls says nothing: the checkpoint or the quiet period decides", () => {
    send(staged("b"), listed(0), call("a"));
    expect(groups()).toEqual([["a"]]);
    send(listed(0), call("c"));
    clock.advance(QUIET_MS - 1);
    expect(groups()).toEqual([["a"]]);
    clock.advance(1);
    expect(groups()).toEqual([["a"], ["c"]]);
  });

  it("is counted anew for each batch of a run", () => {
    send(listed(2), call("a"), call("b"));
    for (const { callId } of [{ callId: "call_1" }, { callId: "call_2" }])
      calls.answer({ callId, content: [], isError: false });
    send(completed("a"), completed("b"), listed(3), call("c"));
    send(call("d"));
    expect(groups()).toEqual([["a", "b"]]);
    send(call("e"));
    expect(groups()).toEqual([
      ["a", "b"],
      ["c", "d", "e"],
    ]);
  });

  it("counts calls that the client is not asked for: refused ones, and those that are over without a question", () => {
    send(listed(3), read(), completed("read"), call("a"));
    expect(groups()).toEqual([]);
    send(completed("search"));
    expect(groups()).toEqual([["a"]]);
  });

  it("may be listed after its first call, whoever runs that", () => {
    send(read(), listed(2));
    send(call("a"));
    send(call("b"), listed(2));
    send(call("c"));
    expect(groups()).toEqual([["a"], ["b", "c"]]);
  });

  it("does not count a question for approval", () => {
    send(listed(2), call("a"), call("b", { smartModeApprovalOnly: true }));
    expect(groups()).toEqual([]);
    send(call("b"));
    expect(groups()).toEqual([["a", "b"]]);
  });

  it("outlives a checkpoint from before its calls", () => {
    send(listed(2), staged(), call("a"));
    clock.advance(QUIET_MS);
    send(call("b"));
    expect(groups()).toEqual([["a", "b"]]);
  });

  it("starts anew after a batch that needed no client, whatever its count was", () => {
    send(listed(3), read());
    send(listed(2), call("a"));
    expect(groups()).toEqual([]);
    send(call("b"));
    expect(groups()).toEqual([["a", "b"]]);
  });
});

describe("a message of many megabytes", () => {
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
    const message = update({ case: "toolCallCompleted", value: { callId: "c", toolCall: { tool } } });
    expect(() => say(message)).not.toThrow();
  });
});
