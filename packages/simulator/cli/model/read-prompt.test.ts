import { describe, expect, it } from "vitest";
import { readPrompt } from "./read-prompt.js";

describe("a prompt", () => {
  it("without parts is one message", () => {
    expect(readPrompt("say <b>hi</b>")).toEqual({
      entries: [{ role: "user", text: "say <b>hi</b>", images: [] }],
      given: [],
      textTools: [],
    });
  });

  it("with parts is a conversation", () => {
    const prompt = [
      "<system>\nBe brief.\n</system>",
      '<tools>\n{"name":"look","inputSchema":{"type":"object"}}\n{"name":"go"}\n</tools>',
      "<user>\nfirst &lt;/user> still\n</user>",
      "<assistant>\nwell\n</assistant>",
      '<tool_call>{"id":"c1","name":"look","arguments":{"at":1}}</tool_call>',
      '<tool_result id="c1" is_error="true">nothing</tool_result>',
      "<user>\nsecond\n</user>",
    ].join("\n\n");
    const { entries, given, textTools } = readPrompt(prompt);
    expect(given).toEqual(["Be brief."]);
    expect(textTools.map(({ name, schema }) => [name, schema])).toEqual([
      ["look", { type: "object" }],
      ["go", {}],
    ]);
    expect(entries).toEqual([
      { role: "user", text: "first </user> still", images: [] },
      { role: "assistant", id: "3", parts: [{ type: "text", text: "well" }] },
      {
        role: "assistant",
        id: "4",
        parts: [{ type: "tool-call", toolCallId: "c1", toolName: "look", args: { at: 1 } }],
      },
      { role: "tool", results: [{ toolCallId: "c1", toolName: "look", result: "nothing" }] },
      { role: "user", text: "second", images: [] },
    ]);
  });
});
