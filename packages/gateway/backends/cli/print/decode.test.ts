import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../turn/event.js";
import { StreamJsonDecoder } from "./decode.js";
import { JsonLines } from "./json-lines.js";

const init = { type: "system", subtype: "init", session_id: "s", model: "Demo 5", permissionMode: "default" };
const message = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] });
const delta = (text: string) => ({ type: "assistant", message: message(text), timestamp_ms: 1 });
const beforeCall = (text: string) => ({ ...delta(text), model_call_id: "r-0-abcd" });
const final = (text: string) => ({ type: "assistant", message: message(text) });
const result = (text: string) => ({ type: "result", subtype: "success", is_error: false, result: text });
const retry = { type: "retry", subtype: "starting", attempt: 1, is_resume: true };
const read = (subtype: string, rest = {}) => ({
  type: "tool_call",
  subtype,
  call_id: "call_A1\nfc_A1",
  tool_call: { readToolCall: { args: { path: "a.txt", toolCallId: "x" }, ...rest }, startedAtMs: "17" },
});

function decode(...lines: object[]): { events: TurnEvent[]; text: string; decoder: StreamJsonDecoder } {
  let calls = 0;
  const decoder = new StreamJsonDecoder(() => `call_${++calls}`);
  const events: TurnEvent[] = [];
  for (const line of lines) events.push(...decoder.read(line));
  const text = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
  return { events, text, decoder };
}

describe("the text of a run", () => {
  it.each<[string, object[], string]>([
    ["deltas and the flush after them", [delta("Hel"), delta("lo"), final("Hello")], "Hello"],
    ["equal deltas in a row", [delta("ha"), delta("ha"), final("haha")], "haha"],
    [
      "segments around a tool call",
      [delta("Hello, "), delta("checking."), beforeCall("Hello, checking."), delta("Done."), final("Done.")],
      "Hello, checking.Done.",
    ],
    ["whole messages of builds without deltas", [beforeCall("Checking."), final("Done.")], "Checking.Done."],
    [
      "a message that begins like the one before it",
      [beforeCall("I look."), final("I look. Found.")],
      "I look.I look. Found.",
    ],
    ["a flush of the whole answer", [delta("A"), beforeCall("A"), delta("A"), final("AA")], "AA"],
    ["a flush that has more than the deltas", [delta("Hel"), final("Hello")], "Hello"],
    ["a flush that differs", [delta("Hello wrld"), final("Hello world")], "Hello wrld"],
    ["a result that has more", [delta("Hel"), result("Hello")], "Hello"],
    ["nothing but a result", [result("Hello")], "Hello"],
    ["the older form without a message", [{ type: "assistant", text: "Hello" }], "Hello"],
  ])("is written once: %s", (_, lines, text) => {
    expect(decode(init, ...lines).text).toBe(text);
  });

  it.each<[string, object[], string]>([
    ["from the beginning", [delta("Hello "), delta("the"), retry, delta("Hel"), delta("lo there")], "Hello there"],
    ["from the last segment", [delta("A."), beforeCall("A."), delta("Be"), retry, delta("Be"), delta("e")], "A.Bee"],
    [
      "with its flushes",
      [delta("A."), beforeCall("A."), delta("B"), retry, delta("A."), beforeCall("A."), delta("B"), final("B")],
      "A.B",
    ],
    ["not at all", [delta("Hello"), retry, delta(" there"), final("Hello there")], "Hello there"],
    ["only seemingly", [delta("ab c"), retry, delta("ab"), delta("x"), final("ab cabx")], "ab cabx"],
    ["as a whole message", [delta("Hel"), retry, final("Hello")], "Hello"],
  ])("is not written twice when a lost connection repeats it %s", (_, lines, text) => {
    expect(decode(init, ...lines, result(text)).text).toBe(text);
  });
});

describe("another event of a run", () => {
  it("becomes thinking, except its end", () => {
    const think = (subtype: string, text?: string) => ({ type: "thinking", subtype, text });
    const { events } = decode(init, think("delta", "Let "), think("delta", "me"), think("completed"));
    expect(events).toEqual([
      { type: "thinking", delta: "Let " },
      { type: "thinking", delta: "me" },
    ]);
  });

  it("becomes a call of the CLI's own, reported once, with its result", () => {
    const done = read("completed", { result: { success: { content: "x" } } });
    const { events, decoder } = decode(init, read("started"), read("started"), done, done);
    expect(events).toEqual([
      { type: "call", id: "call_1", name: "read", runs: "backend" },
      { type: "call-input", id: "call_1", delta: '{"path":"a.txt"}' },
      { type: "call-end", id: "call_1" },
      { type: "call-result", id: "call_1", summary: '{"content":"x"}' },
    ]);
    expect(decoder.isToolRunning).toBe(false);
    expect(decode(init, read("started")).decoder.isToolRunning).toBe(true);
  });

  it.each([
    ["BashToolCall", "bash"],
    ["ReadFileToolCall", "read"],
    ["WriteFileToolCall", "write"],
    ["EditFileToolCall", "edit"],
    ["GrepToolCall", "grep"],
    ["shellToolCall", "bash"],
    ["readToolCall", "read"],
    ["webSearchToolCall", "web_search"],
  ])("for %s has the name %s", (kind, name) => {
    const { events } = decode({
      type: "tool_call",
      subtype: "started",
      call_id: "c",
      tool_call: { hooks: [], [kind]: { args: {} } },
    });
    expect(events[0]).toMatchObject({ name });
  });

  it("names tools of MCP servers and functions by their own names", () => {
    const mcp = { mcpToolCall: { args: { name: "gw-weather", toolName: "weather", args: { city: "Oslo" } } } };
    const other = { function: { name: "special", arguments: '{"a":1}' } };
    const { events } = decode(
      { type: "tool_call", subtype: "started", call_id: "1", tool_call: mcp },
      { type: "tool_call", subtype: "started", call_id: "2", tool_call: other },
    );
    expect(events.filter(({ type }) => type !== "call-end")).toEqual([
      { type: "call", id: "call_1", name: "weather", runs: "backend" },
      { type: "call-input", id: "call_1", delta: '{"city":"Oslo"}' },
      { type: "call", id: "call_2", name: "special", runs: "backend" },
      { type: "call-input", id: "call_2", delta: '{"a":1}' },
    ]);
  });

  it("counts model calls: one, and one more after each group of tools", () => {
    const tool = (call_id: string, subtype: string) => ({ type: "tool_call", subtype, call_id, tool_call: {} });
    const words = { type: "assistant", message: { content: [{ type: "text", text: "x" }] }, timestamp_ms: 1 };
    expect(decode(words, words, result("xx")).decoder.modelCalls).toBe(1);
    const group = [tool("a", "started"), tool("b", "started"), tool("a", "completed"), tool("b", "completed")];
    expect(decode(words, ...group, words, words, result("xxx")).decoder.modelCalls).toBe(2);
    const another = [tool("c", "started"), tool("c", "completed")];
    expect(decode(...group, ...another, words, result("x")).decoder.modelCalls).toBe(3);
  });

  it("becomes usage, if the build reports it", () => {
    const usage = { inputTokens: 28_749, outputTokens: 321, cacheReadTokens: 1_152, cacheWriteTokens: 7 };
    expect(decode({ ...result("x"), usage }).decoder.result?.usage).toEqual({
      ...usage,
      reasoningTokens: 0,
      estimated: false,
    });
    expect(decode(result("x")).decoder.result?.usage).toBeUndefined();
    const apart = { ...usage, inputTokens: 100 };
    expect(decode({ ...result("x"), usage: apart }).decoder.result?.usage?.inputTokens).toBe(1_252);
  });

  it("is a failure when the result says so", () => {
    const failed = { type: "result", subtype: "error", is_error: true, error: { message: "no luck" } };
    expect(decode(failed).decoder.result).toMatchObject({ isError: true, text: '{"message":"no luck"}' });
  });

  it("is ignored if it is unknown", () => {
    const unknown = [
      { type: "new_thing" },
      { no: "type" },
      { type: "assistant", message: 5 },
      { type: "user", message: message("x") },
    ];
    expect(decode(init, ...unknown).events).toEqual([]);
  });
});

describe("lines", () => {
  const stream = `\u001b[2K${JSON.stringify(init)}\nnoise here\n\n${JSON.stringify(delta('a } 🦆"'))} ${JSON.stringify(delta("b"))}\n{broken\n${JSON.stringify(final("é"))}`;

  it.each([1, 7, 1_000_000])("are the same in slices of %i bytes", (size) => {
    const bytes = Buffer.from(stream);
    const lines = new JsonLines();
    const objects: object[] = [];
    for (let at = 0; at < bytes.length; at += size) objects.push(...lines.push(bytes.subarray(at, at + size)));
    objects.push(...lines.end());
    expect(objects).toEqual([init, delta('a } 🦆"'), delta("b"), final("é")]);
    expect(lines.noise).toBe("noise here\n{broken\n");
  });

  it("keep only the end of the noise", () => {
    const lines = new JsonLines();
    for (let each = 0; each < 2_000; each++) lines.push(Buffer.from(`noise ${each}\n`));
    expect(lines.noise.length).toBe(8 * 1024);
    expect(lines.noise).toMatch(/noise 1999\n$/);
  });
});
