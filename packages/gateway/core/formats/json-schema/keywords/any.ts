import { isObject } from "../../../../turn/read-json.js";
import { allFit, fits, isEqual } from "../node.js";
import { type Keywords, type ReadKeyword, UselessSchema } from "../reader.js";
import { readList, readText } from "./read-value.js";

const not: ReadKeyword = (value, reader) => {
  const node = reader.node(value);
  return (each, position, run) =>
    !run.try(() => fits(node, each, position, run)) || run.fail(position, "must NOT be valid");
};

function choice(keyword: "anyOf" | "oneOf", message: string): ReadKeyword {
  return (value, reader) => {
    const nodes = readList(value, keyword).map((each) => reader.node(each));
    return (each, position, run, seen) => {
      const before = run.faults.length;
      let found = 0;
      for (const node of nodes) {
        if (fits(node, each, position, run, seen)) found++;
        // When evaluated parts are recorded, every schema that fits must be visited.
        if (keyword === "anyOf" && found > 0 && seen === undefined) break;
      }
      if (keyword === "anyOf" ? found === 0 : found !== 1) return run.fail(position, message);
      run.faults.length = before;
      return true;
    };
  };
}

const allOf: ReadKeyword = (value, reader) => {
  const nodes = readList(value, "allOf").map((each) => reader.node(each));
  return (each, position, run, seen) => allFit(nodes, (node) => fits(node, each, position, run, seen));
};

const condition: ReadKeyword = (value, reader, siblings) => {
  const test = reader.node(value);
  const onTrue = siblings.then === undefined ? undefined : reader.node(siblings.then);
  const onFalse = siblings.else === undefined ? undefined : reader.node(siblings.else);
  return (each, position, run, seen) => {
    const isTrue = run.try(() => fits(test, each, position, run, seen));
    const chosen = isTrue ? onTrue : onFalse;
    if (chosen === undefined || fits(chosen, each, position, run, seen)) return true;
    return run.fail(position, `must match "${isTrue ? "then" : "else"}" schema`);
  };
};

export const combiningKeywords: Keywords = [
  ["not", not],
  ["anyOf", choice("anyOf", "must match a schema in anyOf")],
  ["oneOf", choice("oneOf", "must match exactly one schema in oneOf")],
  ["allOf", allOf],
  ["if", condition],
];

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: (value) => Array.isArray(value),
  boolean: (value) => typeof value === "boolean",
  integer: (value) => Number.isInteger(value),
  null: (value) => value === null,
  number: (value) => typeof value === "number",
  object: isObject,
  string: (value) => typeof value === "string",
};

const type: ReadKeyword = (value, _, { nullable }) => {
  const written = Array.isArray(value) ? value : [value];
  // `nullable` is OpenAPI's way to allow null.
  const names = nullable === true ? [...written, "null"] : written;
  const tests = names.map((name: unknown) => {
    const test = typeof name === "string" && Object.hasOwn(types, name) ? types[name] : undefined;
    if (test === undefined) throw new UselessSchema(`${JSON.stringify(name)} is not a type`);
    return test;
  });
  return (each, position, run) => tests.some((test) => test(each)) || run.fail(position, `must be ${names.join(",")}`);
};

const enumeration: ReadKeyword = (value) => {
  const allowed = readList(value, "enum");
  const texts = new Set(allowed.filter((each) => typeof each !== "object" || each === null));
  const others = allowed.filter((each) => typeof each === "object" && each !== null);
  return (each, position, run) =>
    texts.has(each) ||
    others.some((other) => isEqual(each, other, run.steps)) ||
    run.fail(position, "must be equal to one of the allowed values", allowed);
};

const constant: ReadKeyword = (value) => (each, position, run) =>
  isEqual(each, value, run.steps) || run.fail(position, "must be equal to constant", value);

const reference: ReadKeyword = (value, reader) => {
  const { node } = reader.refer(readText(value, "$ref"));
  return (each, position, run, seen) => fits(node, each, position, run, seen);
};

/** Resolves to the outermost document on the way here that overrides the anchor. */
export const dynamicReference: ReadKeyword = (value, reader) => {
  const { node, dynamicName } = reader.refer(readText(value, "$dynamicRef"));
  if (dynamicName === undefined) return (each, position, run, seen) => fits(node, each, position, run, seen);
  return (each, position, run, seen) => {
    const outermost = run.resources.find(({ dynamicAnchors }) => dynamicAnchors.has(dynamicName));
    return fits(outermost?.dynamicAnchors.get(dynamicName) ?? node, each, position, run, seen);
  };
};

/** Asynchronous schemas are refused, because an answer is checked synchronously. */
const asynchronous: ReadKeyword = () => {
  throw new UselessSchema("$async is not supported");
};

export const typeKeywords: Keywords = [
  ["$async", asynchronous],
  ["type", type],
];

export const anyKeywords: Keywords = [
  ["$ref", reference],
  ["const", constant],
  ["enum", enumeration],
];
