import { describe, expect, it } from "vitest";
import { UpdateDecoder } from "./decode.js";
import { answerQuestion } from "./process.js";

const chunk = (kind: string, text: string) => ({ sessionUpdate: kind, content: { type: "text", text } });
const call = (fields: object) => ({ sessionUpdate: "tool_call", toolCallId: "c1", status: "pending", ...fields });

describe("an update of a session", () => {
  it.each([
    ["words", chunk("agent_message_chunk", "Hi"), [{ type: "text", delta: "Hi" }]],
    ["a thought", chunk("agent_thought_chunk", "Hm"), [{ type: "thinking", delta: "Hm" }]],
    ["no words", chunk("agent_message_chunk", ""), []],
    ["words of the user's, as a replay tells them", chunk("user_message_chunk", "Hi"), []],
    ["a plan", { sessionUpdate: "plan", entries: [] }, []],
    ["something unknown", { sessionUpdate: "new_thing", content: { text: "x" } }, []],
    ["nothing at all", undefined, []],
    [
      "a call that the CLI makes itself",
      call({ title: "Read File", kind: "read", rawInput: { path: "a" } }),
      [
        { type: "call", id: "c1", name: "read", runs: "backend" },
        { type: "call-input", id: "c1", delta: '{"path":"a"}' },
        { type: "call-end", id: "c1" },
      ],
    ],
    ["a call of the client's tool", call({ title: "gw: weather", kind: "other" }), []],
    ["the same as older builds tell it", call({ title: "MCP: tool", kind: "other" }), []],
  ])("that holds %s", (_, update, events) => {
    expect(new UpdateDecoder().push(update)).toEqual(events);
  });

  const ended = (fields: object) => call({ sessionUpdate: "tool_call_update", ...fields });

  it("tells the end of a call that the CLI made, once, and of no other", () => {
    const decoder = new UpdateDecoder();
    decoder.push(call({ title: "Read File", kind: "read" }));
    decoder.push(call({ title: "gw: weather", kind: "other", toolCallId: "ours" }));
    expect(decoder.push(ended({ status: "in_progress" }))).toEqual([]);
    expect(decoder.push(ended({ status: "completed", toolCallId: "ours" }))).toEqual([]);
    expect(decoder.push(ended({ status: "completed", rawOutput: { success: true } }))).toEqual([
      { type: "call-result", id: "c1", summary: '{"success":true}' },
    ]);
    expect(decoder.push(ended({ status: "completed" }))).toEqual([]);
  });

  it("tells the end of a call in the words that came with it", () => {
    const decoder = new UpdateDecoder();
    decoder.push(call({ title: "Read File", kind: "read" }));
    const content = [{ type: "content", content: { type: "text", text: "denied" } }];
    expect(decoder.push(ended({ status: "failed", content }))).toEqual([
      { type: "call-result", id: "c1", summary: "denied" },
    ]);
  });
});

describe("a question of the CLI's", () => {
  const options = [
    { optionId: "allow-once", name: "Allow", kind: "allow_once" },
    { optionId: "allow-always", name: "Always", kind: "allow_always" },
    { optionId: "reject-once", name: "Reject", kind: "reject_once" },
  ];
  const ask = (toolCall: object, offered = options) =>
    answerQuestion("session/request_permission", { sessionId: "s", toolCall, options: offered });
  const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });

  it.each([
    ["gw: weather", "other", "allow-once"],
    ["gw-weather", "other", "allow-once"],
    ["MCP: tool", "other", "allow-once"],
    ["gw: rm -rf", "execute", "reject-once"],
    ["other: weather", "other", "reject-once"],
    ["Write File", "edit", "reject-once"],
  ])("about %s (%s) gets %s", (title, kind, optionId) => {
    expect(ask({ title, kind })).toEqual(selected(optionId));
  });

  it("is cancelled where no fitting answer is offered", () => {
    expect(ask({ title: "gw: x", kind: "other" }, options.slice(1, 2))).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("for a person gets none, and those of no kind we know an empty answer", () => {
    expect(answerQuestion("cursor/ask_question", {})).toEqual({ outcome: { outcome: "cancelled" } });
    expect(answerQuestion("cursor/create_plan", {})).toEqual({ outcome: { outcome: "rejected" } });
    expect(answerQuestion("cursor/update_todos", {})).toEqual({});
    expect(answerQuestion("fs/read_text_file", {})).toBeUndefined();
  });
});
