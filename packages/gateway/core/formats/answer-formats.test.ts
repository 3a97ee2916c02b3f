import { describe, expect, it } from "vitest";
import { cpuMsOf } from "../../../../testing/cpu-time.js";
import type { AnswerFormat } from "../../turn/turn.js";
import { AnswerFormats, findJson } from "./answer-formats.js";

type Schema = Record<string, unknown>;

const formats = new AnswerFormats();
const bySchema = (schema: Schema): AnswerFormat => ({
  type: "json-schema",
  name: "point",
  schema,
  param: "the.schema",
});
const judge = async (schema: Schema, answer: string) => formats.checkOf(bySchema(schema)).judge(answer);

const point = {
  type: "object",
  properties: { x: { type: "number" }, label: { enum: ["a", "b"] } },
  required: ["x"],
  additionalProperties: false,
};

describe("an answer under a schema", () => {
  it.each([
    ['{"x":1}', '{"x":1}'],
    ['```json\n{"x": 1, "label": "a"}\n```', '{"x": 1, "label": "a"}'],
    ['As [1] says, {"y":1} is wrong and {"x":2} is right.', '{"x":2}'],
  ])("fits: %j", async (answer, json) => expect(await judge(point, answer)).toEqual({ json }));

  it.each([
    ["nothing", "it contains no JSON"],
    ["{}", "the answer must have required property 'x'"],
    ['{"x":"1"}', "/x must be number"],
    ['{"x":1,"z":2}', 'the answer must NOT have additional properties: "z"'],
    ['{"x":1,"label":"c"}', '/label must be equal to one of the allowed values: ["a","b"]'],
    ['{"x":"1","z":2}', 'the answer must NOT have additional properties: "z"; /x must be number'],
    ['{"x":1} or {"x":2}', "it contains more than one JSON value"],
    ['[1] {"x":"a long one"}', "/x must be number"],
  ])("does not fit: %j, because %s", async (answer, fault) => expect(await judge(point, answer)).toEqual({ fault }));

  it("is not quoted in its fault", async () => {
    const items = { type: "array", items: { type: "string", pattern: "^a", enum: ["x".repeat(1_000)] } };
    const judged = await judge(items, JSON.stringify(Array.from({ length: 100 }, () => "secret")));
    expect(judged).toEqual({ fault: expect.not.stringContaining("secret") });
    expect("fault" in judged && judged.fault.length).toBeLessThan(1_100);
  });
});

describe("a schema", () => {
  it("is read by the draft that it names, or else the newest", async () => {
    const tuple = { type: "array", items: [{ type: "string" }], additionalItems: false };
    const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", ...tuple };
    expect(await judge(draft7, '["a"]')).toEqual({ json: '["a"]' });
    expect(await judge(draft7, '["a",1]')).toHaveProperty("fault");
    await expect(judge(tuple, "[]")).rejects.toThrow("cannot be used");
    const newest = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "array",
      prefixItems: [{ type: "string" }],
      items: false,
    };
    expect(await judge(newest, '["a",1]')).toHaveProperty("fault");
  });

  it("may refer to itself, use formats, and have unknown keywords", async () => {
    const tree = {
      type: "object",
      "x-order": ["mail"],
      properties: { mail: { type: "string", format: "email" }, odd: { format: "no such format" } },
      additionalProperties: { $ref: "#/$defs/more" },
      $defs: { more: { type: "array", items: { $ref: "#" } } },
    };
    expect(await judge(tree, '{"mail":"a@b.org","odd":1,"more":[{"mail":"c@d.org"}]}')).toHaveProperty("json");
    expect(await judge(tree, '{"mail":"nobody"}')).toEqual({ fault: '/mail must match format "email"' });
    expect(await judge(tree, '{"more":[{"mail":"nobody"}]}')).toEqual({
      fault: '/more/0/mail must match format "email"',
    });
  });

  it("may escape more in a pattern than Unicode mode allows", async () => {
    expect(await judge({ type: "string", pattern: "^a\\-b$" }, '"a-b"')).toEqual({ json: '"a-b"' });
    expect(await judge({ type: "string", pattern: "^\\p{Lu}$" }, '"Ä"')).toEqual({ json: '"Ä"' });
  });

  it("may have the same id as another one", async () => {
    const of = (type: string) => ({ $id: "https://example.com/answer", type });
    expect(await judge(of("string"), '"a"')).toHaveProperty("json");
    expect(await judge(of("number"), "1")).toHaveProperty("json");
  });

  it.each<[string, Schema]>([
    ["of an unknown type", { type: "strong" }],
    ["that refers to a path that is not in it", { $ref: "#/$defs/nowhere" }],
    ["that refers to another document", { $ref: "http://127.0.0.1:1/schema.json" }],
    ["that refers to a file", { $ref: "file:///etc/passwd" }],
    ["with a broken pattern", { type: "string", pattern: "(" }],
    ["that is asynchronous", { $async: true, type: "string" }],
    ["that is too long", { enum: ["x".repeat(140_000)] }],
    ["that is nested too deeply", nested(100_000)],
  ])("%s is a bad request", (_, schema) => {
    expect(() => formats.checkOf(bySchema(schema))).toThrow(
      expect.objectContaining({ code: "invalid_request", param: "the.schema" }),
    );
  });

  it("is read in linear time", async () => {
    let wide: Schema = { type: "string" };
    for (let depth = 0; depth < 11; depth++) wide = { anyOf: [{ not: wide }, { not: wide }] };
    expect(await judge(wide, '"a"')).toHaveProperty("fault");
    const names = Array.from({ length: 5_000 }, (_, index) => [`n${index}`, { type: "string" }]);
    const check = formats.checkOf(bySchema({ patternProperties: Object.fromEntries(names) }));
    expect(check.judge("{}")).toEqual({ json: "{}" });
    const huge = Array.from({ length: 2_000 }, (_, index) => ({ pattern: `^a{1,9000}b{${index}}$` }));
    expect(await judge({ allOf: huge, type: "null" }, "null")).toEqual({ json: "null" });
  });

  it.each([
    ["(?=a)", "it uses lookahead or lookbehind"],
    ["(?<!a)b", "it uses lookahead or lookbehind"],
    ["(a)\\1", "it uses a back-reference"],
    ["^a{1,20000}$", "the patterns of this schema take more than 10000 states"],
  ])("with the pattern %s is used without it, with a warning", async (pattern, why) => {
    const check = formats.checkOf(bySchema({ type: "string", pattern }));
    expect(check.warnings).toEqual([`The pattern ${JSON.stringify(pattern)} is not checked: ${why}.`]);
    expect(check.judge('"zzz"')).toEqual({ json: '"zzz"' });
    expect(check.judge("1")).toEqual({ fault: "the answer must be string" });
  });

  it("allows additional properties beside an unchecked pattern", async () => {
    const open = { patternProperties: { "^(?=x)": { type: "number" } }, additionalProperties: false };
    expect(await judge(open, '{"y":1}')).toEqual({ json: '{"y":1}' });
  });

  it("that branches or refers to itself endlessly is stopped at a limit", async () => {
    const $defs: Schema = { d60: false };
    for (let at = 0; at < 60; at++) {
      const next = { $ref: `#/$defs/d${at + 1}` };
      $defs[`d${at}`] = { anyOf: [next, next] };
    }
    const fault = "the answer is too large to check by this schema";
    expect(await judge({ $ref: "#/$defs/d0", $defs }, "1")).toEqual({ fault });
    // The limit is for all JSON in an answer together.
    expect(await judge({ $ref: "#/$defs/d0", $defs }, "[1] ".repeat(18))).toEqual({ fault });
    expect(await judge({ $ref: "#" }, "1")).toEqual({ fault: "the answer is nested too deeply" });
  });

  it("may require unique items in a long list", async () => {
    const items = Array.from({ length: 50_000 }, (_, index) => ({ index }));
    expect(await judge({ uniqueItems: true }, JSON.stringify(items))).toHaveProperty("json");
    expect(await judge({ uniqueItems: true }, JSON.stringify([...items, { index: 7 }]))).toEqual({
      fault: "the answer must NOT have duplicate items",
    });
  });

  function nested(depth: number): Schema {
    return JSON.parse(`${'{"not":'.repeat(depth)}{}${"}".repeat(depth)}`);
  }
});

describe("any object", () => {
  it("fits, unlike any other value", async () => {
    const check = formats.checkOf({ type: "json" });
    expect(check.judge('Here: {"a":[1]}')).toEqual({ json: '{"a":[1]}' });
    for (const answer of ["[1]", "1", "null", '"a"']) {
      expect(check.judge(answer)).toEqual({ fault: "the answer must be a JSON object" });
    }
  });
});

describe("the instruction", () => {
  it("contains the format's name and schema", async () => {
    expect(formats.checkOf({ type: "json" }).instruction).toContain("one JSON object and nothing else");
    const { instruction } = formats.checkOf(bySchema(point));
    expect(instruction).toContain('JSON schema ("point")');
    expect(instruction).toContain(JSON.stringify(point));
  });
});

describe("the JSON in an answer", () => {
  it.each([
    ['{"a":1}', ['{"a":1}']],
    ["  [1, 2]\n", ["[1, 2]"]],
    ["42", ["42"]],
    ['"words"', ['"words"']],
    ["null", ["null"]],
    ['```json\n{"a":1}\n```', ['{"a":1}']],
    ["```\n42\n```", ["42"]],
    ['Here it is:\n```json\n{"a":"``` }"}\n```\nAnything else?', ['{"a":"``` }"}']],
    ['Sure! {"a":{"b":"}"}} That is all.', ['{"a":{"b":"}"}}']],
    ['As [1] says: {"a":"\\"}"}', ["[1]", '{"a":"\\"}"}']],
    ['Fill in {name}: {"a":1}', ['{"a":1}']],
  ])("of %j holds %j", (answer, expected) => {
    const found = findJson(answer);
    expect(found).toEqual(expected.map((json) => ({ json, value: JSON.parse(json) })));
  });

  it.each([
    ["", "it is empty"],
    [" \n", "it is empty"],
    ["I would rather talk.", "it contains no JSON"],
    ['Well: {"unfit":', "the JSON that begins at character 7 is not complete"],
    ['{"a":{"b":1},', "the JSON that begins at character 1 is not complete"],
    ['{"a":{"b":1}, oops}', "what begins at character 1 is not valid JSON"],
    ["[] ".repeat(21), "it contains too many JSON values"],
    ['{"a":"', "the JSON that begins at character 1 is not complete"],
  ])("of %j has a problem: %s", (answer, problem) => {
    expect(findJson(answer)).toEqual({ problem });
  });

  it("is found in linear time, however many brackets the answer has", () => {
    const texts = ["{".repeat(1_000_000), "[]".repeat(200_000), "{x}".repeat(200_000)];
    for (const text of texts) expect(cpuMsOf(() => findJson(text))).toBeLessThan(5_000);
  });
});
