import { describe, expect, it } from "vitest";
import { fitValue, onlyValue, readingsOf, takesNull } from "./json-schema.js";

const fitted = (value: Parameters<typeof fitValue>[0], schema: object) => fitValue(value, schema, {});

describe("fitting a value into a schema", () => {
  it("keeps figures within what is allowed", () => {
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

  it("changes the type only where nothing is lost", () => {
    expect(fitted("12", { type: "integer" })).toBe(12);
    expect(fitted("12a", { type: "integer" })).toBeUndefined();
    expect(fitted(true, { type: "string" })).toBe("true");
    expect(fitted("a", { type: "array" })).toEqual(["a"]);
    expect(fitted(["a"], { type: "string" })).toBeUndefined();
    expect(fitted(["a", "b"], { type: "array", maxItems: 1 })).toBeUndefined();
    expect(fitted("a", { type: "object" })).toBeUndefined();
    expect(fitted("a", { type: "boolean" })).toBeUndefined();
  });

  it("takes a word of an enum as the enum spells it", () => {
    expect(fitted("content", { enum: ["Files", "Content"] })).toBe("Content");
    expect(fitted("count", { enum: ["Files", "Content"] })).toBeUndefined();
    expect(fitted("a", { const: "b" })).toBeUndefined();
  });

  it("takes anything where the schema says nothing", () => {
    expect(fitValue("a", true, {})).toBe("a");
    expect(fitValue("a", false, {})).toBeUndefined();
    expect(fitValue("a", { $ref: "other.json#/x" }, {})).toBeUndefined();
  });
});

describe("a schema", () => {
  it("may take null in several spellings", () => {
    for (const schema of [{ type: ["string", "null"] }, { enum: ["a", null] }, { const: null }, { nullable: true }]) {
      expect(takesNull(schema, {})).toBe(true);
    }
    expect(takesNull({ type: ["string", "null"], enum: ["a"] }, {})).toBe(false);
    expect(takesNull({ type: "string" }, {})).toBe(false);
  });

  it("has an only value when every reading names the same one", () => {
    expect(onlyValue({ anyOf: [{ const: 1 }, { type: "string" }] }, {})).toBeUndefined();
    expect(onlyValue({ enum: ["a", "b"] }, {})).toBeUndefined();
    expect(onlyValue({ enum: ["a"] }, {})).toBe("a");
  });

  it("of a thousand alternatives is read only so far", () => {
    const options = Array.from({ length: 40 }, (_, index) => ({ const: index }));
    expect(readingsOf({ anyOf: options, oneOf: options }, {}).length).toBeLessThanOrEqual(16);
  });
});
