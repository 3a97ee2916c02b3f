import { expect, it } from "vitest";
import { SchemaValidators } from "./schema-validators.js";

it("compiles a schema once, whatever the order of its keys, and evicts the least recently used ones", () => {
  const validators = new SchemaValidators();
  const of = (schema: Record<string, unknown>) => validators.of(schema, "schema");
  const others = (from: number, to: number) => {
    for (let other = from; other < to; other++) of({ const: other });
  };
  const first = of({ type: "object", required: ["a"] });
  expect(of({ required: ["a"], type: "object" })).toBe(first);
  others(0, 49);
  expect(of({ type: "object", required: ["a"] })).toBe(first);
  others(49, 98);
  expect(of({ type: "object", required: ["a"] })).toBe(first);
  others(98, 150);
  expect(of({ type: "object", required: ["a"] })).not.toBe(first);
});
