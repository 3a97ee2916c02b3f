import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, it } from "vitest";
import { createDice, type Dice } from "../../../../../testing/dice.js";
import type { JsonObject } from "../../../turn/read-json.js";
import { Steps } from "../steps.js";
import { fits, ROOT, Run } from "./node.js";
import { readSchema } from "./read-schema.js";
import type { Draft } from "./reader.js";

const ROUNDS = 150;

type Make = (dice: Dice, depth: number) => unknown;

const names = ["a", "b", "c", "ab"];
const texts = ["", "a", "b", "ab", "abc", "2026-11-15", "a@b.org", "ä", "🐦"];
const patterns = ["^a", "b$", "^[a-c]+$", "^(?:a|b)*c?$", "\\d{4}-\\d\\d", "^.$", "\\bab\\b", "^\\W*$", "^\\p{L}{2,}$"];

function value({ roll, pick }: Dice, depth: number): unknown {
  const kind = roll(depth > 0 ? 8 : 5);
  if (kind === 0) return pick([null, true, false]);
  if (kind < 3) return pick([0, 1, 2, 3, -1, 1.5, 10]);
  if (kind < 5) return pick(texts);
  const dice = { roll, pick };
  if (kind === 5) return Array.from({ length: roll(4) }, () => value(dice, depth - 1));
  return Object.fromEntries(Array.from({ length: roll(4) }, () => [pick(names), value(dice, depth - 1)]));
}

const someOf = (make: Make, dice: Dice, depth: number) =>
  Array.from({ length: 1 + dice.roll(2) }, () => make(dice, depth));
const byName = (make: Make, keys: readonly string[], dice: Dice, depth: number) =>
  Object.fromEntries(Array.from({ length: 1 + dice.roll(2) }, () => [dice.pick(keys), make(dice, depth)]));
const list = (dice: Dice) => [...new Set(Array.from({ length: dice.roll(3) }, () => dice.pick(names)))];

/** `contains` is left out, because ajv accepts some empty lists for it. */
const both: Readonly<Record<string, Make>> = {
  type: (dice) =>
    dice.pick(["string", "number", "integer", "object", "array", "null", "boolean", ["string", "object"]]),
  const: (dice) => value(dice, 1),
  enum: (dice) =>
    [value(dice, 1), value(dice, 1)].filter((each, at, all) => at === 0 || String(each) !== String(all[0])),
  minimum: ({ roll }) => roll(4),
  exclusiveMaximum: ({ roll }) => roll(4),
  multipleOf: ({ pick }) => pick([1, 2, 0.5]),
  minLength: ({ roll }) => roll(3),
  maxLength: ({ roll }) => roll(3),
  pattern: ({ pick }) => pick(patterns),
  format: ({ pick }) => pick(["date", "email", "int32"]),
  not: schema,
  anyOf: (dice, depth) => someOf(schema, dice, depth),
  oneOf: (dice, depth) => someOf(schema, dice, depth),
  allOf: (dice, depth) => someOf(schema, dice, depth),
  $ref: ({ pick }) => pick(["#/$defs/a", "#/$defs/b", "#named"]),
  minItems: ({ roll }) => roll(3),
  maxItems: ({ roll }) => roll(3),
  uniqueItems: () => true,
  properties: (dice, depth) => byName(schema, names, dice, depth),
  patternProperties: (dice, depth) => byName(schema, patterns, dice, depth),
  additionalProperties: schema,
  propertyNames: schema,
  required: list,
  minProperties: ({ roll }) => roll(3),
  maxProperties: ({ roll }) => roll(3),
};
const byDraft: Readonly<Record<Draft, Readonly<Record<string, Make>>>> = {
  "draft-07": { ...both, dependencies: (dice, depth) => byName(dice.roll(2) ? list : schema, names, dice, depth) },
  "2020-12": {
    ...both,
    prefixItems: (dice, depth) => someOf(schema, dice, depth),
    dependentRequired: (dice, depth) => byName(list, names, dice, depth),
    dependentSchemas: (dice, depth) => byName(schema, names, dice, depth),
    unevaluatedProperties: schema,
    unevaluatedItems: schema,
  },
};
/** ajv also counts the parts that a failed condition has evaluated, so these two are not tried together. */
const watching = ["unevaluatedProperties", "unevaluatedItems"];
let draft: Draft = "2020-12";
let isWatching = false;

function schema(dice: Dice, depth: number): unknown {
  if (depth <= 0) return dice.pick<unknown>([true, false, {}, { type: "string" }, { type: "number" }, { const: 1 }]);
  const made: Record<string, unknown> = {};
  for (let count = 1 + dice.roll(3); count > 0; count--) {
    const [name, make] = dice.pick(Object.entries(byDraft[draft]));
    if (watching.includes(name) && !isWatching) continue;
    made[name] = make(dice, depth - 1);
  }
  if (!isWatching && dice.roll(6) === 0) Object.assign(made, condition("then", dice, depth));
  if (!isWatching && dice.roll(8) === 0) Object.assign(made, condition("else", dice, depth));
  if (dice.roll(4) === 0) made.items = schema(dice, depth - 1);
  if (draft === "draft-07" && dice.roll(6) === 0) {
    Object.assign(made, { items: someOf(schema, dice, depth - 1), additionalItems: schema(dice, depth - 1) });
  }
  return made;
}

function condition(branch: "then" | "else", dice: Dice, depth: number): JsonObject {
  return Object.fromEntries(["if", branch].map((name) => [name, schema(dice, depth - 1)]));
}

/** A random schema whose references to itself always descend into the value. */
function randomSchema(dice: Dice): JsonObject {
  const named = draft === "2020-12" ? { $anchor: "named" } : { $id: "#named" };
  const $defs = {
    a: { maxItems: 2, properties: { a: schema(dice, 2) } },
    b: { items: { $ref: "#" }, type: "array" },
    c: { ...named, type: "string" },
  };
  return { allOf: [schema(dice, 3)], $defs };
}

it.each<[Draft, string, number]>([
  ["2020-12", "conditions", 1],
  ["2020-12", "unevaluated parts", 2],
  ["draft-07", "conditions", 3],
])("judges random values by random schemas of %s with %s as ajv does", (wanted, special, seed) => {
  draft = wanted;
  isWatching = special === "unevaluated parts";
  const dice = createDice(seed);
  let fitting = 0;
  let failing = 0;
  const options = { strict: false, logger: false, inlineRefs: false, validateSchema: false } as const;
  const ajv = wanted === "2020-12" ? new Ajv2020(options) : new Ajv(options);
  addFormats.default(ajv);
  for (let round = 0; round < ROUNDS; round++) {
    const made = randomSchema(dice);
    const validate = ajv.compile(made);
    const node = readSchema(made, wanted, () => expect.fail("a pattern is not checked"));
    for (let count = 0; count < 20; count++) {
      const each = value(dice, 3);
      const run = new Run(new Steps(1_000_000));
      const isFitting = fits(node, each, ROOT, run);
      if (isFitting) fitting++;
      else failing++;
      const expected = tryTo(() => validate(each));
      if (expected === undefined) continue;
      const judged = `${JSON.stringify(each)} by ${JSON.stringify(made)}`;
      expect(`${isFitting}: ${judged}`).toBe(`${expected}: ${judged}`);
      expect(run.faults.length > 0).toBe(!isFitting);
    }
  }
  // If everything fitted, the test would prove nothing.
  expect(Math.min(fitting, failing)).toBeGreaterThan(200);
});

/** For a few schemas ajv generates code that throws. */
function tryTo<T>(judge: () => T): T | undefined {
  try {
    return judge();
  } catch {
    return undefined;
  }
}
