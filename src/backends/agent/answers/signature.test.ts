import { expect, it } from "vitest";
import { signatureOf } from "./signature.js";

const object = (properties: object, ...required: string[]) => ({ type: "object", properties, required });
const all = (schema: Record<string, unknown>) => signatureOf(schema, "all");

it.each([
  ["no arguments", { type: "object" }, ""],
  [
    "plain types",
    object({ city: { type: "string" }, days: { type: "integer" } }, "city"),
    "city: string, days?: integer",
  ],
  ["choices", object({ unit: { enum: ["C", "F", 1, null] } }), 'unit?: "C" | "F" | 1 | null'],
  ["one choice", object({ kind: { const: "tide" } }), 'kind?: "tide"'],
  ["several types", object({ at: { type: ["string", "null"] } }), "at?: string | null"],
  [
    "a union",
    object({ at: { anyOf: [{ type: "string" }, { type: "number" }, { type: "string" }] } }),
    "at?: string | number",
  ],
  [
    "lists",
    object({ a: { type: "array", items: { type: "string" } }, b: { type: "array" } }),
    "a?: string[], b?: any[]",
  ],
  ["a list of choices", object({ a: { type: "array", items: { enum: ["x", "y"] } } }), 'a?: ("x" | "y")[]'],
  [
    "objects inside",
    object({
      todos: { type: "array", items: object({ text: { type: "string" }, done: { type: "boolean" } }, "text") },
    }),
    "todos?: {text: string, done?: boolean}[]",
  ],
  [
    "references",
    { ...object({ at: { $ref: "#/$defs/Place" } }), $defs: { Place: object({ lat: { type: "number" } }, "lat") } },
    "at?: {lat: number}",
  ],
  [
    "what it cannot say",
    object({ a: {}, b: { $ref: "elsewhere.json" }, c: true, d: { type: 5 } }),
    "a?: any, b?: any, c?: any, d?: any",
  ],
  ["names that are no words", object({ "a b": { type: "string" } }), '"a b"?: string'],
])("says in one line: %s", (_, schema, expected) => expect(all(schema)).toBe(expected));

it("leaves out what may be left out, and says so", () => {
  const schema = object({ a: { type: "string" }, b: { type: "string" } }, "b");
  expect(signatureOf(schema, "required")).toBe("b: string, …");
});

it("shortens long lists of choices", () => {
  expect(all(object({ n: { enum: Array.from({ length: 30 }, (__, at) => at) } }))).toBe(
    "n?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …",
  );
  expect(all(object({ n: { enum: ["x".repeat(1_000)] } }))).toBe("n?: …");
});

it("ends with schemas that never do", () => {
  const endless = object({ next: { $ref: "#" } });
  expect(all(endless)).toBe("next?: {next?: object}");
  const choices = Array.from({ length: 50 }, () => ({ $ref: "#/$defs/a" }));
  const wide = { ...object({ a: { $ref: "#/$defs/a" } }), $defs: { a: { anyOf: choices } } };
  expect(all(wide).length).toBeLessThan(100);
  const many = object(Object.fromEntries(Array.from({ length: 10_000 }, (__, at) => [`p${at}`, { type: "string" }])));
  expect(all(many).split(", ")).toHaveLength(201);
});

it("follows no reference out of the schema", () => {
  expect(all({ ...object({ a: { $ref: "#/constructor/name" }, b: { $ref: "#/__proto__" } }) })).toBe(
    "a?: any, b?: any",
  );
});
