import { describe, expect, it } from "vitest";
import { ErrorLine, UpdateDecoder } from "./decode.js";
import { answerQuestion } from "./process.js";

const chunk = (kind: string, text: string) => ({ sessionUpdate: kind, content: { type: "text", text } });
const call = (fields: object) => ({ sessionUpdate: "tool_call", toolCallId: "c1", status: "pending", ...fields });

describe("an update of a session", () => {
  it.each([
    ["words", chunk("agent_message_chunk", "Hi"), [{ type: "text", delta: "Hi" }]],
    ["a thought", chunk("agent_thought_chunk", "Hm"), [{ type: "thinking", delta: "Hm" }]],
    ["no words", chunk("agent_message_chunk", ""), []],
    ["words of the user's, from a replay", chunk("user_message_chunk", "Hi"), []],
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
    ["the same from an older build", call({ title: "MCP: tool", kind: "other" }), []],
  ])("that holds %s", (_, update, events) => {
    expect(new UpdateDecoder().push(update)).toEqual(events);
  });

  const ended = (fields: object) => call({ sessionUpdate: "tool_call_update", ...fields });

  it("reports the end of a call that the CLI made, once, and of no other", () => {
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

  it("reports the end of a call with its text", () => {
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

  it("is cancelled if no fitting answer is offered", () => {
    expect(ask({ title: "gw: x", kind: "other" }, options.slice(1, 2))).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("for a user is declined, and one of an unknown kind gets an empty answer", () => {
    expect(answerQuestion("cursor/ask_question", {})).toEqual({ outcome: { outcome: "cancelled" } });
    expect(answerQuestion("cursor/create_plan", {})).toEqual({ outcome: { outcome: "rejected" } });
    expect(answerQuestion("cursor/update_todos", {})).toEqual({});
    expect(answerQuestion("fs/read_text_file", {})).toBeUndefined();
  });
});

/** The result for an answer that comes in slices of this many characters. */
function readIn(answer: string, size: number): { text: string; failure: string | undefined } {
  const lines = new ErrorLine();
  let text = "";
  for (let at = 0; at < answer.length; at += size) text += lines.push(answer.slice(at, at + size));
  const end = lines.end();
  return { text: text + end.text, failure: end.failure };
}

describe.each([1, 7, 10_000])("in slices of %i", (size) => {
  it.each([
    ["alone", "", "Error: T: [unavailable] No network", ""],
    ["after text", "So far", "Error: RetriableError: [canceled] x", "\n\n"],
    ["twice, the last at the end", "Error: T: [internal]\n", "Error: S: [internal] y", ""],
    ["on a limit", "", "Error: ActionRequiredError: You've hit it.", ""],
    ["after an error of the model's own", "Error: no", "Error: T: [internal] y", ""],
  ])("a line is a failure %s", (_, text, failure, behind) => {
    const between = text === "" || text.endsWith("\n") ? "" : "\n";
    expect(readIn(`${text}${between}${failure}${behind}`, size)).toEqual({ text, failure });
  });

  it.each([
    ["in the same line as text", "It says Error: T: [unavailable] x"],
    ["with more text after it", "Error: T: [unavailable]\nis what it said"],
    ["in a code fence", "```\nError: T: [unavailable] x\n```"],
    ["in a fence that never closes", "```\nError: T: [unavailable] x"],
    ["of another kind", "Error: file not found"],
    ["hardly begun", "Well\nErr"],
    ["far too long", `Error: T: [internal] ${"x".repeat(5_000)}`],
    ["nowhere", "a\n\nb\n"],
  ])("a line is not a failure %s", (_, text) => {
    expect(readIn(text, size)).toEqual({ text, failure: undefined });
  });
});

it("passes everything else on at once, except for line ends", () => {
  const lines = new ErrorLine();
  expect(lines.push("Hello ")).toBe("Hello ");
  expect(lines.push("world\n")).toBe("world");
  expect(lines.push("Error: no\n")).toBe("\nError: no");
  expect(lines.push("E")).toBe("");
  expect(lines.push("x")).toBe("\nEx");
});

it("takes the same time for a word, however long the line is", () => {
  const lines = new ErrorLine();
  const word = "word ".repeat(4);
  let length = 0;
  for (let count = 0; count < 200_000; count++) length += lines.push(word).length;
  expect(length).toBe(200_000 * word.length);
});
