import { describe, expect, it } from "vitest";
import type { TextBlock } from "../../turn/blocks.js";
import { MAX_CALLS_TOGETHER } from "../../turn/request-limits.js";
import { ConversationBuilder } from "./conversation-builder.js";

const text = (words: string): TextBlock => ({ type: "text", text: words });
const call = (id: string) => ({ type: "call" as const, id, name: "bash", input: "{}" });
const result = (callId: string) => ({ callId, content: [text("out")], isError: false });

function build(use: (builder: ConversationBuilder) => void) {
  const builder = new ConversationBuilder();
  use(builder);
  return builder.build();
}

/** After a user has asked for two calls. */
const afterCalls = (use: (builder: ConversationBuilder) => void) =>
  build((builder) => {
    builder.user([text("hi")]);
    builder.assistant([call("1"), call("2")]);
    use(builder);
  }).messages.slice(2);

describe("a conversation", () => {
  it("begins with the system prompt, in pieces or whole, without empty ones", () => {
    const builder = new ConversationBuilder();
    for (const words of ["Be brief.", "", "Be kind."]) builder.system(words);
    builder.user([text("hi")]);
    expect(builder.build()).toEqual({
      system: "Be brief.\n\nBe kind.",
      messages: [{ role: "user", content: [text("hi")] }],
    });
  });

  it("joins the pieces of one reply, and the results of one reply", () => {
    const builder = new ConversationBuilder();
    builder.user([text("hi")]);
    builder.assistant([text("a")]);
    builder.assistant([]);
    builder.assistant([call("1")]);
    builder.assistant([call("2")]);
    builder.result(result("1"));
    builder.result(result("2"));
    builder.assistant([call("3")]);
    builder.result(result("3"));
    expect(builder.build().messages).toEqual([
      { role: "user", content: [text("hi")] },
      { role: "assistant", content: [text("a"), call("1"), call("2")] },
      { role: "tool", results: [result("1"), result("2")] },
      { role: "assistant", content: [call("3")] },
      { role: "tool", results: [result("3")] },
    ]);
  });
});

describe("system text in the middle", () => {
  const reminder = "<system-reminder>\nBe quick.\n</system-reminder>";

  const remarked = (id: string) => ({ ...result(id), content: [text("out"), text(`\n\n${reminder}`)] });

  it("joins the user's message before it", () => {
    const { system, messages } = build((builder) => {
      builder.user([text("hi")]);
      builder.system("Be quick.");
    });
    expect([system, messages]).toEqual(["", [{ role: "user", content: [text("hi"), text(`\n\n${reminder}`)] }]]);
  });

  it("joins the last result before it, and the turn still ends in results", () => {
    const messages = afterCalls((builder) => {
      for (const id of ["1", "2"]) builder.result(result(id));
      builder.system("Be quick.");
    });
    expect(messages).toEqual([{ role: "tool", results: [result("1"), remarked("2")] }]);
  });

  it("between calls and their results joins the first result", () => {
    const messages = afterCalls((builder) => {
      builder.system("Be quick.");
      for (const id of ["1", "2"]) builder.result(result(id));
    });
    expect(messages).toEqual([{ role: "tool", results: [remarked("1"), result("2")] }]);
  });

  it("after an answer waits for the user's next message, or stands alone", () => {
    const builder = new ConversationBuilder();
    builder.user([text("hi")]);
    builder.assistant([text("hello")]);
    builder.system("Be quick.");
    builder.user([text("go on")]);
    builder.assistant([text("well")]);
    builder.system("Be quick.");
    expect(builder.build().messages.slice(2)).toEqual([
      { role: "user", content: [text(reminder), text("go on")] },
      { role: "assistant", content: [text("well")] },
      { role: "user", content: [text(reminder)] },
    ]);
  });
});

// Code that copied a message for each piece of it would take minutes here and exceed the test's time limit.
describe("a message in very many pieces", () => {
  const pieces = 300_000;

  it("is assembled from those of a reply", () => {
    const builder = new ConversationBuilder();
    for (let piece = 0; piece < pieces; piece++) builder.assistant([text("a")]);
    expect(builder.build().messages).toMatchObject([{ role: "assistant", content: { length: pieces } }]);
  });

  it("is assembled from remarks, on a user's message and on a result", () => {
    const builder = new ConversationBuilder();
    builder.user([text("hi")]);
    for (let piece = 0; piece < pieces; piece++) builder.remark([text("a")]);
    builder.result(result("1"));
    for (let piece = 0; piece < pieces; piece++) builder.remark([text("a")]);
    expect(builder.build().messages).toMatchObject([
      { role: "user", content: { length: pieces + 1 } },
      { role: "tool", results: [{ content: { length: pieces + 1 } }] },
    ]);
  });

  it("is assembled from blocks that come all at once", () => {
    const blocks = Array.from({ length: pieces }, () => text("a"));
    const builder = new ConversationBuilder();
    builder.remark(blocks);
    builder.user([]);
    builder.assistant(blocks);
    expect(builder.build().messages).toMatchObject([{ content: { length: pieces } }, { content: { length: pieces } }]);
  });
});

describe("the calls of one message", () => {
  it("are limited in number", () => {
    const builder = new ConversationBuilder();
    const calls = Array.from({ length: MAX_CALLS_TOGETHER }, (_, index) => call(String(index)));
    builder.assistant(calls);
    builder.result(result("1"));
    builder.assistant(calls);
    expect(() => builder.assistant([call("one more")])).toThrow(`more than ${MAX_CALLS_TOGETHER} tool calls`);
  });
});
