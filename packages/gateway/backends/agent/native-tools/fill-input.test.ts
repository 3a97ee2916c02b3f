import { describe, expect, it } from "vitest";
import { fitValue, onlyValue, readingsOf, takesNull } from "./json-schema.js";
import { mapNativeExec } from "./map-native-exec.js";
import { execOf } from "./native-execs.cases.js";
import { inputFor } from "./tool.cases.js";

const text = { type: "string" };
const texts = { type: "array", items: text };

const shell = (value: object) => execOf({ case: "shellArgs", value });
const run = (parameters: string, special?: Readonly<Record<string, object>>) =>
  inputFor(shell({ command: "ls" }), "bash", parameters, special);

describe("a required parameter", () => {
  it("gets a short description, cut for long commands", () => {
    expect(run("command! explanation!")).toEqual({ command: "ls", explanation: "Run ls" });
    const long = inputFor(shell({ command: `echo ${"x".repeat(500)}\nls` }), "bash", "command! description!");
    expect(Reflect.get(Object(long), "description")).toMatch(/^Run echo x{75}\.\.\.$/);
  });

  it.each([
    ["cwd", { type: ["string", "null"] }, "."],
    ["session", { type: ["string", "null"] }, null],
    ["session", { anyOf: [text, { type: "null" }] }, null],
    ["columns", { type: "integer", default: 80 }, 80],
    ["version", { const: 2 }, 2],
    ["version", { enum: ["v1"] }, "v1"],
  ])("gets the meaning of its name, null, its default or its only value: %s %o", (name, schema, value) => {
    expect(run(`command! ${name}!`, { [name]: schema })).toEqual({ command: "ls", [name]: value });
  });

  it("leaves the approval of a command to the user", () => {
    const decided = { command: "ls", requires_approval: true, SafeToAutoRun: false };
    expect(run("command! requires_approval!:boolean SafeToAutoRun!:boolean")).toEqual(decided);
    expect(run("command! requires_approval:boolean SafeToAutoRun:boolean")).toEqual({ command: "ls" });
  });

  it.each<[string, Record<string, object>]>([
    ["command! session!", {}],
    ["command! level!", { level: { enum: ["low", "high"] } }],
    ["command!:integer", {}],
    ["command!", { command: { type: "string", maxLength: 1 } }],
    ["command!", { command: { type: "string", minLength: 3 } }],
    ["command!", { command: { enum: ["start", "stop"] } }],
    ["other", {}],
  ])("disqualifies the tool when nothing fits: %s %o", (parameters, special) => {
    expect(run(parameters, special)).toBeUndefined();
  });

  it("disqualifies the tool when it is not declared", () => {
    const inputSchema = { properties: { command: text }, required: ["command", "not_declared"] };
    expect(mapNativeExec(shell({ command: "ls" }), [{ name: "bash", description: "", inputSchema }])).toBeUndefined();
  });
});

describe("a value", () => {
  it("takes the type that the schema demands", () => {
    const read = execOf({ case: "readArgs", value: { path: "a", offset: 3, limit: 4 } });
    const listed = inputFor(read, "read", "paths! offset! limit!", { paths: texts });
    expect(listed).toEqual({ paths: ["a"], offset: "3", limit: "4" });
    const plain = inputFor(read, "read", "path! offset!:integer limit!:integer", { path: {} });
    expect(plain).toEqual({ path: "a", offset: 3, limit: 4 });
    const view_range = { type: "array", items: { type: "integer" } };
    expect(inputFor(read, "view", "path! view_range!", { view_range })).toEqual({ path: "a", view_range: [3, 6] });
  });

  it("becomes an argument list under a singular name, and a list of commands under a plural one", () => {
    expect(run("command!", { command: texts })).toEqual({ command: ["bash", "-lc", "ls"] });
    expect(run("commands!", { commands: texts })).toEqual({ commands: ["ls"] });
    expect(run("command!", { command: { anyOf: [texts, text] } })).toEqual({ command: "ls" });
    expect(run("commands!", { commands: { ...texts, minItems: 2 } })).toBeUndefined();
  });

  it("stays within the limits of its parameter", () => {
    const timeout = { type: "integer", description: "in ms", minimum: 1, maximum: 5_000 };
    const input = inputFor(shell({ command: "ls", timeout: 9_000 }), "bash", "command! timeout!", { timeout });
    expect(input).toEqual({ command: "ls", timeout: 5_000 });
  });

  it("is found behind references, conjunctions and alternatives", () => {
    const inputSchema = {
      allOf: [
        { $ref: "#/$defs/base" },
        { properties: { description: { $ref: "#/$defs/a~1b" } }, required: ["description"] },
      ],
      $defs: { base: { properties: { command: text }, required: ["command"] }, "a/b": text },
    };
    const call = mapNativeExec(shell({ command: "ls" }), [{ name: "bash", description: "", inputSchema }]);
    expect(JSON.parse(call?.input ?? "{}")).toEqual({ command: "ls", description: "Run ls" });
    const either = { oneOf: [{ properties: { id: text }, required: ["id"] }, { properties: { cmd: text } }] };
    expect(
      mapNativeExec(shell({ command: "ls" }), [{ name: "bash", description: "", inputSchema: either }])?.input,
    ).toBe('{"cmd":"ls"}');
  });

  it("is not found through circular references", () => {
    const inputSchema = { $ref: "#", properties: { command: { $ref: "#/properties/command" } } };
    expect(mapNativeExec(shell({ command: "ls" }), [{ name: "bash", description: "", inputSchema }])).toBeUndefined();
  });
});

const fitted = (value: Parameters<typeof fitValue>[0], schema: object) => fitValue(value, schema, {});

describe("fitting a value into a schema", () => {
  it("keeps numbers within their limits", () => {
    expect(fitted(1.6, { type: "integer" })).toBe(2);
    expect(fitted(1.6, { type: "number" })).toBe(1.6);
    expect(fitted(0, { type: "integer", exclusiveMinimum: 0 })).toBeUndefined();
    expect(fitted(9, { type: "integer", exclusiveMaximum: 9 })).toBeUndefined();
    expect(fitted(0, { type: "integer", minimum: 1 })).toBe(1);
  });

  it("prefers the type that the value has", () => {
    expect(fitted("a", { anyOf: [{ type: "array", items: { type: "string" } }, { type: "string" }] })).toBe("a");
    expect(fitted(3, { type: ["string", "integer"] })).toBe(3);
  });

  it("converts the type only without loss", () => {
    expect(fitted("12", { type: "integer" })).toBe(12);
    expect(fitted("12a", { type: "integer" })).toBeUndefined();
    expect(fitted(true, { type: "string" })).toBe("true");
    expect(fitted("a", { type: "array" })).toEqual(["a"]);
    expect(fitted(["a"], { type: "string" })).toBeUndefined();
    expect(fitted(["a", "b"], { type: "array", maxItems: 1 })).toBeUndefined();
    expect(fitted("a", { type: "object" })).toBeUndefined();
    expect(fitted("a", { type: "boolean" })).toBeUndefined();
  });

  it("uses the spelling of the enum", () => {
    expect(fitted("content", { enum: ["Files", "Content"] })).toBe("Content");
    expect(fitted("count", { enum: ["Files", "Content"] })).toBeUndefined();
    expect(fitted("a", { const: "b" })).toBeUndefined();
  });

  it("takes anything for `true`, nothing for `false` or a reference that cannot be followed", () => {
    expect(fitValue("a", true, {})).toBe("a");
    expect(fitValue("a", false, {})).toBeUndefined();
    expect(fitValue("a", { $ref: "other.json#/x" }, {})).toBeUndefined();
  });
});

describe("a schema", () => {
  it("can allow null in several ways", () => {
    for (const schema of [{ type: ["string", "null"] }, { enum: ["a", null] }, { const: null }, { nullable: true }]) {
      expect(takesNull(schema, {})).toBe(true);
    }
    expect(takesNull({ type: ["string", "null"], enum: ["a"] }, {})).toBe(false);
    expect(takesNull({ type: "string" }, {})).toBe(false);
  });

  it("has an only value when all readings together list one", () => {
    expect(onlyValue({ anyOf: [{ const: 1 }, { type: "string" }] }, {})).toBeUndefined();
    expect(onlyValue({ enum: ["a", "b"] }, {})).toBeUndefined();
    expect(onlyValue({ enum: ["a"] }, {})).toBe("a");
  });

  it("with a thousand alternatives is read only up to a limit", () => {
    const options = Array.from({ length: 40 }, (_, index) => ({ const: index }));
    expect(readingsOf({ anyOf: options, oneOf: options }, {}).length).toBeLessThanOrEqual(16);
  });
});
