import { describe, expect, it } from "vitest";
import type { Turn } from "../../turn/turn.js";
import { parseRequest } from "./parse.js";

const messages = [{ role: "user", content: "hi" }];

function turnOf(fields: object): Turn {
  return parseRequest({ body: { model: "m", messages, ...fields } }).turn;
}

describe("the tools of a request", () => {
  it("accepts function tools, new and old", () => {
    const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"], $schema: "x" };
    const { tools, warnings } = turnOf({
      tools: [
        { type: "function", function: { name: "a", description: "does a", parameters, strict: false } },
        { function: { name: "b", description: null } },
      ],
      functions: [{ name: "c", parameters: null }],
    });
    expect(tools).toEqual([
      { name: "a", description: "does a", inputSchema: parameters },
      { name: "b", description: "", inputSchema: { type: "object", properties: {} } },
      { name: "c", description: "", inputSchema: { type: "object", properties: {} } },
    ]);
    expect(warnings).toEqual([]);
  });

  it("leaves tools of other types out, with a warning", () => {
    const { tools, warnings } = turnOf({
      tools: [{ type: "web_search" }, { type: "code_interpreter" }, { type: "web_search" }],
    });
    expect(tools).toEqual([]);
    expect(warnings).toEqual([
      "Only function and custom tools can be offered; left out: web_search, code_interpreter.",
    ]);
  });

  it("offers custom tools as functions with one text, and remembers them", () => {
    const grammar = { syntax: "lark", definition: "start: WORD" };
    const { turn, request } = parseRequest({
      body: {
        model: "m",
        messages,
        tools: [
          { type: "custom", custom: { name: "py", description: "Runs Python.", format: { type: "text" } } },
          { type: "custom", custom: { name: "patch", format: { type: "grammar", grammar } } },
          { type: "function", function: { name: "ls" } },
        ],
      },
    });
    expect(turn.tools).toMatchObject([
      { name: "py", description: "Runs Python.", inputSchema: { required: ["input"] } },
      {
        name: "patch",
        inputSchema: { properties: { input: { description: expect.stringContaining("start: WORD") } } },
      },
      { name: "ls", inputSchema: { properties: {} } },
    ]);
    expect([...request.customTools]).toEqual(["py", "patch"]);
    expect(turn.warnings).toEqual([]);
  });

  it("offers only the allowed tools when the choice lists them", () => {
    const allowed = (mode: string, ...names: string[]) => ({
      tools: ["a", "b", "c"].map((name) => ({ type: "function", function: { name } })),
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode, tools: names.map((name) => ({ type: "function", function: { name } })) },
      },
    });
    expect(turnOf(allowed("required", "a", "c"))).toMatchObject({
      tools: [{ name: "a" }, { name: "c" }],
      toolChoice: { type: "required" },
    });
    expect(turnOf(allowed("required", "other"))).toMatchObject({ tools: [], toolChoice: { type: "required" } });
  });

  const tools = [{ type: "function", function: { name: "a" } }];

  it("still offers the tools when the choice is none", () => {
    expect(turnOf({ tools, tool_choice: "none" })).toMatchObject({ toolChoice: { type: "none" }, warnings: [] });
    expect(turnOf({ functions: [{ name: "a" }], function_call: "none" }).toolChoice).toEqual({ type: "none" });
    expect(turnOf({ tools, tool_choice: "none" }).tools.length).toBeGreaterThan(0);
  });

  const one = { type: "tool", name: "a" };
  const custom = { type: "custom", custom: { name: "a" } };
  it.each<[object, object]>([
    [{ tools, tool_choice: "auto" }, { type: "auto" }],
    [{ tools, tool_choice: null }, { type: "auto" }],
    [{ tools, tool_choice: "required" }, { type: "required" }],
    [{ tools, tool_choice: tools[0] }, one],
    [{ functions: [{ name: "a" }], function_call: { name: "a" } }, one],
    [{ tools: [custom], tool_choice: custom }, one],
    [{ tool_choice: "required" }, { type: "required" }],
    [{ tools: [{ type: "web_search" }], tool_choice: "required" }, { type: "required" }],
  ])("takes the choice of %j as %j", (fields, choice) => {
    expect(turnOf(fields).toolChoice).toEqual(choice);
  });

  it("refuses an unknown choice", () => {
    expect(() => turnOf({ tools, tool_choice: "sometimes" })).toThrowError(
      expect.objectContaining({ code: "invalid_request", param: "tool_choice" }),
    );
  });

  it("disables parallel calls on request", () => {
    expect(turnOf({ tools, parallel_tool_calls: false })).toMatchObject({ parallelToolCalls: false, warnings: [] });
  });
});

describe("a deeply nested schema", () => {
  const deep = (levels: number) => {
    let schema = {};
    for (let level = 1; level < levels; level++) schema = { a: schema };
    return schema;
  };
  const toolOf = (levels: number) => ({ type: "function", function: { name: "f", parameters: deep(levels) } });

  it("is accepted up to the depth of the wire, and otherwise refused with its path", () => {
    expect(turnOf({ tools: [toolOf(99)] }).tools).toHaveLength(1);
    expect(() => turnOf({ tools: [toolOf(3), toolOf(100)] })).toThrow(
      "tools[1].function.parameters: must not go deeper than 99 levels.",
    );
    expect(() => turnOf({ functions: [toolOf(100).function] })).toThrow(
      "functions[0].parameters: must not go deeper than 99 levels.",
    );
  });
});

// Code that looked at the whole list for each tool would take minutes here and exceed the test's time limit.
it("honours a very long list of allowed tools", () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `t${index}`);
  const tools = names.map((name) => ({ type: "function", function: { name } }));
  const allowed_tools = { mode: "auto", tools: tools.toReversed() };
  expect(turnOf({ tools, tool_choice: { type: "allowed_tools", allowed_tools } }).tools).toHaveLength(names.length);
});
