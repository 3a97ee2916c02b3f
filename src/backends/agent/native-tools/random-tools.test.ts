import { expect, it } from "vitest";
import type { ToolDefinition } from "../../../turn/turn.js";
import { clients, clientTools } from "./client-tools.cases.js";
import { isSchema, type JsonSchema } from "./json-schema.js";
import { mapNativeExec } from "./map-native-exec.js";
import { nativeExecs } from "./native-execs.cases.js";

/** Lists why a value does not fit a schema, by an independent reading of the JSON Schema standard. */
function faultsOf(value: unknown, schema: unknown, root: JsonSchema, path = "$"): string[] {
  if (schema === true || schema === undefined) return [];
  if (!isSchema(schema)) return [`${path}: no schema`];
  const faults: string[] = [];
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.replace("#/$defs/", "");
    faults.push(...faultsOf(value, Reflect.get(Object(root.$defs), name), root, path));
  }
  for (const union of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(union)) continue;
    const fits = union.some((option) => faultsOf(value, option, root, path).length === 0);
    if (!fits) faults.push(`${path}: none of the alternatives`);
  }
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(value, type))) {
    faults.push(`${path}: not ${String(schema.type)}`);
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) faults.push(`${path}: not in the enum`);
  if (typeof value === "string" && value.length < Number(schema.minLength ?? 0)) faults.push(`${path}: too short`);
  if (typeof value === "number") {
    if (value < Number(schema.minimum ?? -Infinity) || value > Number(schema.maximum ?? Infinity))
      faults.push(`${path}: limit`);
    if (value <= Number(schema.exclusiveMinimum ?? -Infinity)) faults.push(`${path}: limit`);
  }
  if (Array.isArray(value)) {
    if (value.length < Number(schema.minItems ?? 0)) faults.push(`${path}: too few`);
    faults.push(...value.flatMap((item, index) => faultsOf(item, schema.items, root, `${path}[${index}]`)));
  }
  if (isSchema(value)) {
    const properties = isSchema(schema.properties) ? schema.properties : {};
    for (const name of Array.isArray(schema.required) ? schema.required : []) {
      if (!Object.hasOwn(value, String(name))) faults.push(`${path}.${String(name)}: missing`);
    }
    for (const [name, item] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) faults.push(...faultsOf(item, properties[name], root, `${path}.${name}`));
      else if (schema.additionalProperties === false) faults.push(`${path}.${name}: not allowed`);
    }
  }
  return faults;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isSchema(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** Mulberry32: a small generator that gives the same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const odd: readonly unknown[] = [
  { type: "integer" },
  { type: "boolean" },
  { type: ["number", "null"], minimum: 3 },
  { type: "string", enum: ["one", "two"] },
  { type: "array", items: { type: "string" } },
  { type: "array", items: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } },
  { anyOf: [{ type: "null" }, { type: "string", minLength: 4 }] },
  { type: "object", properties: {}, required: ["x"] },
];

/** The tool with some parameters changed in type, made required or removed. */
function disturbed(tool: ToolDefinition, random: () => number): ToolDefinition {
  const { properties, required, ...rest } = tool.inputSchema;
  const kept = Object.entries(isSchema(properties) ? properties : {})
    .filter(() => random() < 0.9)
    .map(([name, schema]) => [name, random() < 0.15 ? odd[Math.floor(random() * odd.length)] : schema] as const);
  const demanded = kept.map(([name]) => name).filter(() => random() < 0.2);
  const before = Array.isArray(required)
    ? required.filter((name) => random() < 0.95 || !kept.some(([own]) => own === name))
    : [];
  return {
    ...tool,
    inputSchema: { ...rest, properties: Object.fromEntries(kept), required: [...new Set([...before, ...demanded])] },
  };
}

it("gives every chosen tool arguments that its schema takes, whatever tools a client has", () => {
  const all = clients.flatMap((client) => clientTools[client]);
  const random = randomFrom(20_251);
  let calls = 0;
  let refusals = 0;
  for (let round = 0; round < 400; round++) {
    const tools = all.filter(() => random() < 0.15).map((tool) => (random() < 0.6 ? disturbed(tool, random) : tool));
    for (const [kind, exec] of Object.entries(nativeExecs)) {
      const call = mapNativeExec(exec, tools);
      if (call === undefined) {
        refusals += 1;
        continue;
      }
      calls += 1;
      // Two tools may share a name here, unlike in a client.
      const faults = tools
        .filter(({ name }) => name === call.name)
        .map(({ inputSchema }) => faultsOf(JSON.parse(call.input), inputSchema, inputSchema));
      if (!faults.some((list) => list.length === 0)) {
        expect({ round, kind, name: call.name, input: call.input, faults }).toEqual("arguments that fit");
      }
    }
  }
  expect(calls).toBeGreaterThan(1_000);
  expect(refusals).toBeGreaterThan(1_000);
});

it("has a checker that sees a fault", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "integer", minimum: 2 } },
    required: ["a", "b"],
    additionalProperties: false,
  };
  expect(faultsOf({ a: 1, c: 0 }, schema, schema)).toEqual(["$.b: missing", "$.a: limit", "$.c: not allowed"]);
  expect(faultsOf({ a: 2, b: 0 }, { ...schema, additionalProperties: true }, schema)).toEqual([]);
});
