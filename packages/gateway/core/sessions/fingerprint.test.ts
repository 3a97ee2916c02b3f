import { describe, expect, it } from "vitest";
import { userTurn } from "../../../../testing/backends/scripted/index.js";
import { turnsDuring } from "../../../../testing/event-loop.js";
import { user } from "../../../../testing/samples/sample-turns.js";
import type { AssistantMessage, Message } from "../../turn/turn.js";
import { keyUnder, makeKeysInSlices, settingsKey, TextDigest, threadOf, transcriptKeys } from "./fingerprint.js";

const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;
const assistant = (text: string, input?: string): AssistantMessage => ({
  role: "assistant",
  content: [
    { type: "text", text },
    ...(input === undefined ? [] : [{ type: "call" as const, id: "call_1", name: "read", input }]),
  ],
});
const result = (text: string): Message => ({
  role: "tool",
  results: [{ callId: "call_1", content: [{ type: "text", text }], isError: false }],
});

describe("what clients change between two turns", () => {
  it.each<[string, Message, Message]>([
    ["text as a string or in parts", user("one two"), user("one", " two")],
    ["white space at the ends", user("hello"), user("  hello\n")],
    ["reminders", user("a", reminder("Today is Monday."), "b", reminder("Two files.")), user("a", "b")],
    ["white space at the ends of an answer", assistant("hello"), assistant("\n hello \n")],
    [
      "the spelling of arguments",
      assistant("", '{"a":1,"b":[2,{"d":4,"c":3}]}'),
      assistant("", '{ "b": [2, {"c":3,"d":4}], "a": 1 }'),
    ],
    [
      "a large number, which the client has read as a double",
      assistant("", '{"id":12345678901234567890}'),
      assistant("", JSON.stringify(JSON.parse('{"id":12345678901234567890}'))),
    ],
    ["no arguments at all", assistant("", "{}"), assistant("", "")],
    [
      "thinking that is sent back or not",
      assistant("hello"),
      { role: "assistant", content: [{ type: "thinking", text: "hm", signature: "s" }, ...assistant("hello").content] },
    ],
    [
      "whether a failed tool is marked as such",
      result("x"),
      { role: "tool", results: [{ callId: "call_1", content: [{ type: "text", text: "x" }], isError: true }] },
    ],
  ])("is left out: %s", (_name, one, other) => {
    expect(transcriptKeys([one])).toEqual(transcriptKeys([other]));
  });

  it.each<[string, Message, Message]>([
    ["the words", user("hello"), user("hallo")],
    ["a reminder that does not end", user("hello <system-reminder> you"), user("hello")],
    ["who says them", user("hello"), assistant("hello")],
    ["the arguments", assistant("", '{"a":1}'), assistant("", '{"a":2}')],
    ["a call", assistant("hello"), assistant("hello", "{}")],
    ["the result", result("x"), result("y")],
    [
      "an image",
      { role: "user", content: [{ type: "image", mimeType: "image/png", data: Buffer.from("a") }] },
      { role: "user", content: [{ type: "image", mimeType: "image/png", data: Buffer.from("b") }] },
    ],
  ])("is not: %s", (_name, one, other) => {
    expect(transcriptKeys([one])).not.toEqual(transcriptKeys([other]));
  });
});

describe("the keys of a transcript", () => {
  const messages = [user("a"), assistant("b"), user("c")];
  const keys = transcriptKeys(messages);

  it("stand for each of its prefixes", () => {
    expect(keys).toHaveLength(4);
    expect(transcriptKeys(messages.slice(0, 2))).toEqual(keys.slice(0, 3));
    expect(new Set(keys).size).toBe(4);
  });

  it("differ after another beginning, and under other settings", () => {
    const edited = transcriptKeys([user("x"), ...messages.slice(1)]);
    expect(edited.slice(1).some((key) => keys.includes(key))).toBe(false);
    expect(keyUnder("one", keys[1] ?? "")).not.toBe(keyUnder("other", keys[1] ?? ""));
  });

  it("match those of conversations on disk", () => {
    const all = transcriptKeys([...messages, assistant("", '{"a":1}'), result("x")]);
    expect(all.at(-1)).toBe("PCgihW7wMAFJGI0SC0ilUsvj0-bTXUZeGqy6XetyIFc");
  });

  it("ignore empty messages", () => {
    const withEmpty = transcriptKeys([user("a"), assistant(" \n"), assistant("b"), user("c")]);
    expect(withEmpty.at(-1)).toBe(keys.at(-1));
  });
});

it("names a conversation with hexadecimal digits, so that no command takes it for an option", () => {
  const threads = Array.from({ length: 200 }, (_, index) => threadOf([user(`Hello ${index}`)], "me"));
  for (const thread of [...threads, threadOf([], "me")]) expect(thread).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(threads).size).toBe(200);
  expect(threadOf([user("Hello 1"), assistant("Hi")], "me")).toBe(threads[1]);
  expect(threadOf([user("Hello 1")], "you")).not.toBe(threads[1]);
});

describe("settings", () => {
  const tool = { name: "read", description: "Reads.", inputSchema: { type: "object", properties: { a: {}, b: {} } } };
  const turn = userTurn("hi", { system: "You are.", tools: [tool] });

  it("are the system prompt and the tools, whatever the order in their schemas", () => {
    const respelled = { ...tool, inputSchema: { properties: { b: {}, a: {} }, type: "object" } };
    expect(settingsKey({ ...turn, tools: [respelled], model: "other" })).toBe(settingsKey(turn));
    expect(settingsKey({ ...turn, system: "You were." })).not.toBe(settingsKey(turn));
    expect(settingsKey({ ...turn, tools: [] })).not.toBe(settingsKey(turn));
    expect(settingsKey({ ...turn, workspace: "/home/me" })).not.toBe(settingsKey(turn));
  });

  it("have the keys of conversations on disk", () => {
    expect(settingsKey(turn)).toBe("0HDD4SJCYsOlKbuOu7Rh_6LbCfXAm1yDsLvHE7EvwaI");
    expect(settingsKey({ ...turn, workspace: "/home/me" })).toBe("InWSoHk8aebYeDA8GCQki7PScwuMnhv_C6MNy7Fcn4A");
  });
});

describe("a text digested piece by piece", () => {
  const text = ` \n ${"Grüße 🦆 \n\n  and more ".repeat(900)} \t `;
  const whole = new TextDigest();
  whole.push(text.trim());

  it.each([1, 7, 100, 4_095, 4_096, 5_000])("is the same for pieces of %i", (size) => {
    const pieces = new TextDigest();
    for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
    expect(pieces.end()).toBe(whole.end());
  });

  it("can be read before its end", () => {
    const pieces = new TextDigest();
    const sofar = text.slice(0, 5_000);
    pieces.push(sofar);
    const beginning = new TextDigest();
    beginning.push(sofar.trim());
    expect(pieces.end()).toBe(beginning.end());
    pieces.push(text.slice(5_000));
    expect(pieces.end()).toBe(whole.end());
  });

  it("is empty as long as there is only white space", () => {
    const blank = new TextDigest();
    for (const piece of ["", " ", "\n\t"]) blank.push(piece);
    expect(blank.isEmpty).toBe(true);
  });
});

describe("a long conversation", () => {
  const messages = Array.from({ length: 1_000 }, (_, at) => user(`Message ${at}`));

  it("gets its keys in slices, between which other work runs", async () => {
    expect(await turnsDuring(() => makeKeysInSlices(messages))).toBe(4);
  });

  it("gets the same keys as in one go, computed only once", async () => {
    const copy = [...messages];
    await makeKeysInSlices(copy);
    expect(transcriptKeys(copy)).toEqual(transcriptKeys([...messages]));
    expect(transcriptKeys(copy)).toBe(transcriptKeys(copy));
  });
});
