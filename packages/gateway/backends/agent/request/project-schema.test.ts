import { describe, expect, it } from "vitest";
import { fits, ROOT, Run, TooDeep } from "../../../core/formats/json-schema/node.js";
import { readSchema } from "../../../core/formats/json-schema/read-schema.js";
import { type Draft, UselessSchema } from "../../../core/formats/json-schema/reader.js";
import { Steps } from "../../../core/formats/steps.js";
import type { JsonObject } from "../../../turn/read-json.js";
import { seeded } from "../../seeded.cases.js";
import { projectSchema } from "./project-schema.js";

const all = ["anyOf", "oneOf", "allOf"] as const;
const project = (schema: JsonObject) => projectSchema(schema, all);

function withoutWords(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) => (key === "description" ? undefined : value));
}

describe("a projected schema", () => {
  const text = { type: "string" };
  const flag = { type: "boolean" };
  it.each([
    ["is the same without combinators", { type: "object", properties: { anyOf: { not: text } } }, undefined],
    [
      "has a list of types for a value that may be null",
      { type: "object", properties: { at: { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }] } } },
      { type: "object", properties: { at: { type: ["string", "null"], minLength: 1 } } },
    ],
    [
      "has all values of enums and constants",
      { oneOf: [{ const: "a" }, { enum: ["b", "a"] }, { type: "null" }] },
      { type: ["string", "null"], enum: ["a", "b", null] },
    ],
    [
      "has the properties of all objects, and requires what all require",
      {
        type: "object",
        oneOf: [
          { properties: { kind: { const: "a" }, a: text }, required: ["kind", "a"], additionalProperties: false },
          { properties: { kind: { const: "b" }, b: flag }, required: ["kind"], additionalProperties: false },
        ],
      },
      {
        type: "object",
        properties: { kind: { type: "string", enum: ["a", "b"] }, a: text, b: flag },
        required: ["kind"],
        additionalProperties: false,
      },
    ],
    [
      "does not restrict a property that another branch leaves open",
      { anyOf: [{ type: "object", properties: { a: text } }, { type: "object" }] },
      { type: "object", properties: { a: {} } },
    ],
    [
      "merges the branches of allOf",
      { properties: { a: text }, allOf: [{ required: ["a"] }, { properties: { b: flag }, required: ["b"] }] },
      { properties: { a: text, b: flag }, required: ["a", "b"] },
    ],
    [
      "follows references in a union",
      { $defs: { A: { type: "object", properties: { a: text } }, N: { type: "null" } }, anyOf: [ref("A"), ref("N")] },
      {
        $defs: { A: { type: "object", properties: { a: text } }, N: { type: "null" } },
        type: ["object", "null"],
        properties: { a: text },
      },
    ],
    [
      "stays open when the patterns of a closed part are lost",
      { patternProperties: { "^a": text }, allOf: [{ patternProperties: { "^b": {} }, additionalProperties: false }] },
      { patternProperties: { "^a": text } },
    ],
    ["takes anything where a branch does", { type: "object", properties: { a: { anyOf: [text, {}] } } }, undefined],
    [
      "has no reference into a combinator",
      { properties: { a: { oneOf: [text] }, b: { $ref: "#/properties/a/oneOf/0", type: "null" } } },
      { properties: { a: text, b: {} } },
    ],
    ["drops a `not` around a combinator", { not: { anyOf: [text] }, type: "string" }, { type: "string" }],
  ])("%s", (name, schema, projected) => {
    const made = project(schema);
    if (name.startsWith("is the same")) expect(made).toBe(schema);
    else if (projected !== undefined) expect(withoutWords(made)).toEqual(projected);
    expect(project(made)).toBe(made); // nothing is left to project
  });

  it.each(all)("has no combinator at all when %s is refused and present", (refused) => {
    for (const other of all) {
      const schema = { type: "object", properties: { a: { [other]: [{ items: { [refused]: [text, flag] } }, flag] } } };
      const made = projectSchema(schema, [refused]);
      expect(project(made)).toBe(made);
    }
    const others = { allOf: [flag], anyOf: [flag], oneOf: [flag], [refused]: undefined };
    expect(projectSchema(JSON.parse(JSON.stringify(others)), [refused])).toEqual(JSON.parse(JSON.stringify(others)));
  });

  it("shows the original union to the model, up to a limit", () => {
    expect(project({ description: "Where.", anyOf: [text, flag] }).description).toBe(
      'Where.\nIt must fit one of these JSON schemas: [{"type":"string"},{"type":"boolean"}]',
    );
    const long = { anyOf: [text, { enum: ["x".repeat(2_000)] }] };
    expect(project(long)).toEqual({ type: "string" });
  });

  it("terminates for recursive and for very large unions", () => {
    const endless = { anyOf: [{ $ref: "#" }, { type: "array", items: { $ref: "#" } }, text] };
    expect(project(project(endless))).toEqual(project(endless));
    const wide = Array.from({ length: 150 }, (_, at) => ({
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 100 }, (__, name) => [`p${at}-${name}`, text])),
    }));
    expect(withoutWords(project({ anyOf: wide }))).toEqual({ type: "object" });
  });
});

describe("a schema whose definitions use each other", () => {
  const orNull = (name: string) => ({ anyOf: [ref(name), { type: "null" }], default: null });
  const charactersOf = (schema: JsonObject) => JSON.stringify(schema).length;
  const parsed = (schema: unknown) => JSON.parse(JSON.stringify(schema));

  it("is written out once for a tree", () => {
    const properties = { value: { type: "integer" }, left: orNull("Node"), right: orNull("Node") };
    const tree = { $defs: { Node: { type: "object", properties, required: ["value"] } }, ...ref("Node") };
    expect(charactersOf(tree)).toBeLessThan(300);
    const projected = project(tree);
    expect(charactersOf(projected)).toBeLessThan(1_500);
    expect(parsed(projected).$defs.Node.properties.left.properties.value).toEqual({ type: "integer" });
  });

  it("keeps the siblings of a complex filter", () => {
    const any = { anyOf: ["And", "Or", "Not", "Leaf"].map(ref) };
    const many = (kind: string) => ({
      type: "object",
      properties: { kind: { const: kind }, items: { type: "array", items: any } },
      required: ["kind", "items"],
    });
    const not = { type: "object", properties: { kind: { const: "not" }, item: any }, required: ["kind", "item"] };
    const field = { type: "string" };
    const leaf = { type: "object", properties: { kind: { const: "leaf" }, field }, required: ["kind", "field"] };
    const limit = { type: "integer", minimum: 1 };
    const projected = project({
      type: "object",
      properties: { filter: any, limit },
      required: ["filter"],
      $defs: { And: many("and"), Or: many("or"), Not: not, Leaf: leaf },
    });
    expect(charactersOf(projected)).toBeLessThan(4_000);
    expect(parsed(projected).properties.limit).toEqual(limit);
    expect(parsed(projected).properties.filter).toMatchObject({
      type: "object",
      properties: { kind: { enum: ["and", "or", "not", "leaf"] } },
      required: ["kind"],
    });
    expect(parsed(projected).$defs.Leaf).toEqual(leaf);
  });

  it("stays short when each uses the next one twice", () => {
    const next = (at: number) => ({ type: "object", properties: { a: orNull(`D${at}`), b: orNull(`D${at}`) } });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`D${at}`, next(at + 1)]));
    const last = { type: "integer" };
    const projected = project({ type: "object", properties: { first: orNull("D0"), last }, $defs });
    expect(charactersOf(projected)).toBeLessThan(80_000);
    expect(parsed(projected).properties.last).toEqual(last);
  });
});

describe.each(["draft-07", "2020-12"] as const)("every value that fits a schema of %s", (draft) => {
  it.each([1, 2, 3, 4, 5])("fits its projection (seed %i)", (seed) => {
    const dice = createDice(seed);
    let fitting = 0;
    let refusing = 0;
    for (let round = 0; round < 150; round++) {
      const schema = {
        $defs: { x: makeSchema(dice, 2, draft), y: makeSchema(dice, 2, draft) },
        ...makeSchema(dice, 3, draft),
      };
      const projected = project(schema);
      expect(project(projected), "a combinator is left").toBe(projected);
      const fitsOriginal = checkerOf(schema, draft);
      if (fitsOriginal === undefined) continue;
      const fitsProjected = checkerOf(projected, draft);
      for (let each = 0; each < 12; each++) {
        const value = makeValue(dice, 3);
        const isFitting = fitsOriginal(value);
        if (isFitting === undefined) continue;
        const isTaken = fitsProjected?.(value);
        if (isFitting && isTaken !== true) expect.fail(JSON.stringify({ value, schema, projected }, null, 1));
        if (isFitting) fitting++;
        else if (isTaken === false) refusing++;
      }
    }
    // The schemas take some values and refuse others, and so do their projections.
    expect(fitting).toBeGreaterThan(200);
    expect(refusing).toBeGreaterThan(200);
  });
});

function ref(name: string) {
  return { $ref: `#/$defs/${name}` };
}

/** Says whether a value fits; undefined for dangling and circular references. */
function checkerOf(schema: JsonObject, draft: Draft): ((value: unknown) => boolean | undefined) | undefined {
  const node = orUndefined(() => readSchema(schema, draft, () => {}), UselessSchema);
  return node && ((value) => orUndefined(() => fits(node, value, ROOT, new Run(new Steps(1_000_000))), TooDeep));
}

function orUndefined<Made>(make: () => Made, Expected: new () => Error): Made | undefined {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof Expected) return undefined;
    throw thrown;
  }
}

function createDice(seed: number) {
  const random = seeded(seed);
  const roll = (sides: number): number => random() % sides;
  return { roll, pick: <T>(list: readonly T[]): T => list[roll(list.length)] as T };
}

type Dice = ReturnType<typeof createDice>;

const names = ["a", "b", "c"];
const texts = ["", "a", "ab", "abc"];

function makeValue(dice: Dice, depth: number): unknown {
  const { roll, pick } = dice;
  const kind = roll(depth > 0 ? 9 : 4);
  if (kind === 0) return pick([null, true, false]);
  if (kind === 1) return pick([0, 1, 2, 1.5]);
  if (kind < 4) return pick(texts);
  if (kind === 4) return Array.from({ length: roll(3) }, () => makeValue(dice, depth - 1));
  return Object.fromEntries(Array.from({ length: roll(4) }, () => [pick(names), makeValue(dice, depth - 1)]));
}

function makeSchema(dice: Dice, depth: number, draft: Draft): Record<string, unknown> {
  const { roll, pick } = dice;
  const inner = () => (roll(12) === 0 ? roll(3) > 0 : makeSchema(dice, depth - 1, draft));
  const list = () => Array.from({ length: 1 + roll(3) }, inner);
  const byName = () => Object.fromEntries(Array.from({ length: 1 + roll(2) }, () => [pick(names), inner()]));
  const someNames = () => [...new Set(Array.from({ length: roll(2) }, () => pick(names)))];
  const flat: (() => object)[] = [
    () => ({ type: pick(["string", "number", "integer", "object", "array", "null", "boolean"]) }),
    () => ({ type: "object" }),
    () => ({ type: ["object", pick(["string", "null", "number"])] }),
    () => ({ const: makeValue(dice, 1) }),
    () => ({ enum: [...new Set(Array.from({ length: 1 + roll(3) }, () => pick([null, true, 1, 2, "a", "ab"])))] }),
    () => ({ required: someNames() }),
    () => ({ minimum: roll(2) }),
    () => ({ minLength: roll(3) }),
    () => ({ pattern: pick(["^a", "b$"]) }),
    () => ({ minProperties: roll(2) }),
    () => ({ maxItems: roll(3) }),
    () => ({ dependentRequired: { [pick(names)]: someNames() } }),
  ];
  const nested: (() => object)[] = [
    ...all.flatMap((keyword) => Array(3).fill(() => ({ [keyword]: list() }))),
    () => ({ properties: byName() }),
    () => ({ type: "object", properties: byName(), additionalProperties: false }),
    () => ({ properties: byName(), additionalProperties: inner() }),
    () => ({ patternProperties: { [pick(["^a", "^[bc]$"])]: inner() }, additionalProperties: pick([false, inner()]) }),
    () => ({ propertyNames: { enum: names.slice(roll(2)) } }),
    () => ({ items: inner() }),
    () =>
      draft === "draft-07" ? { items: list(), additionalItems: inner() } : { prefixItems: list(), items: inner() },
    () => ({ contains: inner(), ...(roll(2) === 0 && { maxContains: 1 }) }),
    () => ({ not: inner() }),
    () => Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, inner()])),
    () => ({ $ref: `#/$defs/${pick(["x", "y"])}` }),
    () => ({ $ref: `#/$defs/x/${pick(all)}/0` }),
    () => ({ unevaluatedProperties: false }),
    () => ({ dependentSchemas: { [pick(names)]: inner() } }),
  ];
  const count = 1 + roll(3);
  const parts = Array.from({ length: count }, () => pick(depth > 0 && roll(3) > 0 ? nested : flat)());
  return Object.assign({}, ...parts);
}
