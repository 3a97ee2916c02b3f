import { expect, it } from "vitest";
import { SchemaValidators } from "./schema-validators.js";

it("reads a schema once, in whatever order its keys come, and forgets the ones it has not seen for long", () => {
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
