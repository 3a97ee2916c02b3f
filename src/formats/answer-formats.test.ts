import { describe, expect, it } from "vitest";
import type { AnswerFormat } from "../turn/turn.js";
import { AnswerFormats } from "./answer-formats.js";

type Schema = Record<string, unknown>;

const formats = new AnswerFormats();
const bySchema = (schema: Schema): AnswerFormat => ({ type: "json-schema", name: "point", schema });
const judge = (schema: Schema, answer: string) => formats.checkOf(bySchema(schema)).judge(answer);

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
  ])("fits: %j", (answer, json) => expect(judge(point, answer)).toEqual({ json }));

  it.each([
    ["nothing", "it holds no JSON"],
    ["{}", "the answer must have required property 'x'"],
    ['{"x":"1"}', "/x must be number"],
    ['{"x":1,"z":2}', 'the answer must NOT have additional properties: "z"'],
    ['{"x":1,"label":"c"}', '/label must be equal to one of the allowed values: ["a","b"]'],
    ['{"x":"1","z":2}', 'the answer must NOT have additional properties: "z"; /x must be number'],
    ['{"x":1} or {"x":2}', "it holds more than one JSON value"],
    ['[1] {"x":"a long one"}', "/x must be number"],
  ])("does not fit: %j, because %s", (answer, fault) => expect(judge(point, answer)).toEqual({ fault }));

  it("is not told back in what is wrong with it", () => {
    const items = { type: "array", items: { type: "string", pattern: "^a", enum: ["x".repeat(1_000)] } };
    const judged = judge(items, JSON.stringify(Array.from({ length: 100 }, () => "secret")));
    expect(judged).toEqual({ fault: expect.not.stringContaining("secret") });
    expect("fault" in judged && judged.fault.length).toBeLessThan(1_100);
  });
});

describe("a schema", () => {
  it("is read by the draft that it names, the newest by default", () => {
    const tuple = { type: "array", items: [{ type: "string" }], additionalItems: false };
    const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", ...tuple };
    expect(judge(draft7, '["a"]')).toEqual({ json: '["a"]' });
    expect(judge(draft7, '["a",1]')).toHaveProperty("fault");
    expect(() => judge(tuple, "[]")).toThrow("cannot be used");
    const newest = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "array",
      prefixItems: [{ type: "string" }],
      items: false,
    };
    expect(judge(newest, '["a",1]')).toHaveProperty("fault");
  });

  it("may describe itself, know formats, and have words that nobody knows", () => {
    const tree = {
      type: "object",
      "x-order": ["mail"],
      properties: { mail: { type: "string", format: "email" }, odd: { format: "no such format" } },
      additionalProperties: { $ref: "#/$defs/more" },
      $defs: { more: { type: "array", items: { $ref: "#" } } },
    };
    expect(judge(tree, '{"mail":"a@b.org","odd":1,"more":[{"mail":"c@d.org"}]}')).toHaveProperty("json");
    expect(judge(tree, '{"mail":"nobody"}')).toEqual({ fault: '/mail must match format "email"' });
    expect(judge(tree, '{"more":[{"mail":"nobody"}]}')).toEqual({ fault: '/more/0/mail must match format "email"' });
  });

  it("may escape more in a pattern than Unicode's rules allow", () => {
    expect(judge({ type: "string", pattern: "^a\\-b$" }, '"a-b"')).toEqual({ json: '"a-b"' });
    expect(judge({ type: "string", pattern: "^\\p{Lu}$" }, '"Ä"')).toEqual({ json: '"Ä"' });
  });

  it("may have the id of another client's", () => {
    const of = (type: string) => ({ $id: "https://example.com/answer", type });
    expect(judge(of("string"), '"a"')).toHaveProperty("json");
    expect(judge(of("number"), "1")).toHaveProperty("json");
  });

  it.each<[string, Schema]>([
    ["of an unknown type", { type: "strong" }],
    ["that refers to a place that is not in it", { $ref: "#/$defs/nowhere" }],
    ["that refers to another document", { $ref: "http://127.0.0.1:1/schema.json" }],
    ["that refers to a file", { $ref: "file:///etc/passwd" }],
    ["with a broken pattern", { type: "string", pattern: "(" }],
    ["that would be judged later", { $async: true, type: "string" }],
    ["that is too long", { enum: ["x".repeat(140_000)] }],
    ["that is nested too deeply", nested(100_000)],
  ])("%s is a mistake of the client", (_, schema) => {
    expect(() => formats.checkOf(bySchema(schema))).toThrow(
      expect.objectContaining({ code: "invalid_request", param: "response_format" }),
    );
  });

  it("that takes for ever is given up, be it to compile or to check", () => {
    let wide: Schema = { type: "string" };
    for (let depth = 0; depth < 12; depth++) wide = { anyOf: [{ not: wide }, { not: wide }] };
    const start = performance.now();
    expect(() => formats.checkOf(bySchema({ pattern: "^(a+)+$" })).judge(`"${"a".repeat(60)}b"`)).toThrow("too long");
    expect(() => formats.checkOf(bySchema(wide))).toThrow("cannot be used");
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  function nested(depth: number): Schema {
    return JSON.parse(`${'{"not":'.repeat(depth)}{}${"}".repeat(depth)}`);
  }
});

describe("any object", () => {
  const check = formats.checkOf({ type: "json" });

  it("fits, and nothing else", () => {
    expect(check.judge('Here: {"a":[1]}')).toEqual({ json: '{"a":[1]}' });
    for (const answer of ["[1]", "1", "null", '"a"']) {
      expect(check.judge(answer)).toEqual({ fault: "the answer must be a JSON object" });
    }
  });
});

describe("the instruction", () => {
  it("tells the model all that it must know", () => {
    expect(formats.checkOf({ type: "json" }).instruction).toContain("one JSON object and nothing else");
    const { instruction } = formats.checkOf(bySchema(point));
    expect(instruction).toContain('JSON schema ("point")');
    expect(instruction).toContain(JSON.stringify(point));
  });
});

it("compiles a schema once, in whatever order its keys come, and forgets the ones it has not seen for long", () => {
  const kept = new AnswerFormats();
  const compileMs = (schema: Schema) => {
    const start = performance.now();
    kept.checkOf(bySchema(schema));
    return performance.now() - start;
  };
  const names = Array.from({ length: 800 }, (_, index) => `property${index}`);
  const big = { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) };
  const reversed = {
    properties: Object.fromEntries(names.toReversed().map((name) => [name, { type: "string" }])),
    type: "object",
  };
  const firstMs = compileMs(big);
  expect(compileMs(reversed)).toBeLessThan(firstMs / 2);
  for (let other = 0; other < 50; other++) compileMs({ const: other });
  expect(compileMs(big)).toBeGreaterThan(compileMs(big) * 2);
});
