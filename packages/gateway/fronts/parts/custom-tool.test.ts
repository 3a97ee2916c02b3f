import { describe, expect, it } from "vitest";
import { readCustomInput, toFunctionTool, writeCustomInput } from "./custom-tool.js";

describe("a custom tool", () => {
  it("is offered as a function with one text", () => {
    expect(toFunctionTool({ name: "py", description: "Runs Python." })).toEqual({
      name: "py",
      description: "Runs Python.",
      inputSchema: {
        type: "object",
        properties: { input: { type: "string", description: "The whole input of the tool, as plain text." } },
        required: ["input"],
        additionalProperties: false,
      },
    });
    expect(toFunctionTool({ name: "py", description: null }).description).toBe("");
  });

  it("describes its grammar to the model", () => {
    const grammar = { syntax: "lark", definition: 'start: "a"+' };
    expect(toFunctionTool({ name: "patch", grammar }).inputSchema).toMatchObject({
      properties: { input: { description: expect.stringMatching(/lark grammar:\nstart: "a"\+$/) } },
    });
  });

  it.each(["", "1 + 1", '{"input":"x"}', 'a "b"\n\\ 🦆'])("gets back the text that was written for it: %j", (text) => {
    expect(readCustomInput(writeCustomInput(text))).toBe(text);
  });

  it.each([
    ["text under another name", '{"patch":"*** Begin"}', "*** Begin"],
    ["the right name among others", '{"why":"because","input":"ls"}', "ls"],
    ["text alone", '"ls"', "ls"],
    ["plain text instead of JSON", "ls -l", "ls -l"],
    ["nothing", "", ""],
    ["several texts", '{"a":"1","b":"2"}', '{"a":"1","b":"2"}'],
    ["no text in it", '{"input":5}', '{"input":5}'],
    ["a number", "5", "5"],
    ["null", "null", "null"],
    ["an empty object", "{}", "{}"],
  ])("makes the best of %s", (_, json, text) => {
    expect(readCustomInput(json)).toBe(text);
  });
});
