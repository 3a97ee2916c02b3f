import { describe, expect, it } from "vitest";
import { defaultTool, toChatTool, toolProblems } from "./tool.js";

const schemaProblem = (schema: string) => toolProblems({ ...defaultTool, schema }).schema;

it("has a valid default tool", () => {
  expect(toolProblems(defaultTool)).toEqual({ name: undefined, schema: undefined });
  expect(toChatTool(defaultTool)).toMatchObject({
    type: "function",
    function: { name: "get_weather", parameters: { type: "object", required: ["city"] } },
  });
});

describe("a schema", () => {
  it.each([
    ["{", "This is not JSON: "],
    ["", "This is not JSON: "],
    ["[]", "A schema is an object"],
    ["null", "A schema is an object"],
    ['{"type":"string"}', '"type" must be "object"'],
    ['{"type":"object","properties":[]}', '"properties" must be an object'],
    ['{"type":"object","required":"city"}', '"required" must be a list'],
    ['{"type":"object","properties":{"a":{}},"required":["b"]}', '"required" names "b"'],
    ['{"type":"object","properties":{},"required":["toString"]}', '"required" names "toString"'],
    ['{"type":"object","required":[7]}', '"required" names 7'],
  ])("%s is rejected with an explanation", (schema, problem) => {
    expect(schemaProblem(schema)).toContain(problem);
    expect(toChatTool({ ...defaultTool, schema })).toBeUndefined();
  });

  it("may have no properties", () => {
    expect(schemaProblem('{"type":"object"}')).toBeUndefined();
  });
});

it.each(["", "get weather", "wetter_für", "x".repeat(65)])("rejects the name %j", (name) => {
  expect(toolProblems({ ...defaultTool, name }).name).toMatch(/name/i);
  expect(toChatTool({ ...defaultTool, name })).toBeUndefined();
});
