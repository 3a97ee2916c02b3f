import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { sampleArgs, sampleOf } from "./sample.js";

const cases: [string, JsonValue, JsonValue][] = [
  ["a string", { type: "string" }, "sample"],
  ["a long enough string", { type: "string", minLength: 8 }, "samplexx"],
  ["a short enough string", { type: "string", maxLength: 3 }, "sam"],
  ["a date", { type: "string", format: "date" }, "2026-01-01"],
  ["a number", { type: "number" }, 1],
  ["a number with a floor", { type: "number", minimum: 2.5 }, 3],
  ["a number above", { type: "integer", exclusiveMinimum: 3 }, 4],
  ["a number below", { type: "integer", maximum: -2 }, -2],
  ["a multiple", { type: "integer", multipleOf: 5, minimum: 6 }, 10],
  ["a boolean", { type: "boolean" }, true],
  ["null", { type: "null" }, null],
  ["a nullable", { type: ["null", "string"] }, "sample"],
  ["one of an enum", { enum: ["red", "blue"] }, "red"],
  ["a constant", { const: 7 }, 7],
  ["an array", { type: "array", items: { type: "number" } }, [1]],
  ["an array of a least length", { type: "array", items: { type: "number" }, minItems: 2 }, [1, 1]],
  ["an array that must be empty", { type: "array", maxItems: 0 }, []],
  ["a tuple", { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, ["sample", 1]],
  ["what is required", { properties: { a: { type: "number" }, b: {} }, required: ["a"] }, { a: 1 }],
  ["everything, where nothing is required", { properties: { a: { type: "number" }, b: {} } }, { a: 1, b: "sample" }],
  ["the first choice", { anyOf: [{ type: "number" }, { type: "string" }] }, 1],
  [
    "all at once",
    { allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] },
    { a: 1, b: 2 },
  ],
  ["a reference", { $ref: "#/$defs/n", $defs: { n: { type: "number" } } }, 1],
];

describe("a sample", () => {
  it.each(cases)("of %s fits", (_name, schema, expected) => expect(sampleOf(schema)).toEqual(expected));

  it("of a schema that contains itself comes to an end", () => {
    const schema = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] };
    expect(JSON.stringify(sampleOf(schema)).length).toBeLessThan(500);
  });

  it("of arguments is an object, whatever the schema says", () => {
    expect(sampleArgs("nonsense")).toEqual({});
    expect(sampleArgs({ type: "string" })).toEqual({});
  });
});
