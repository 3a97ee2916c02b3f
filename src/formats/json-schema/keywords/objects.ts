import { fits, isObject, type JsonObject, type SchemaNode } from "../node.js";
import type { Reader, ReadKeyword } from "../reader.js";
import type { Run } from "../run.js";
import { readPattern } from "./read-pattern.js";
import { readCount, readMap, readTexts } from "./read-value.js";

function countLimit(keyword: string, word: string, holds: (length: number, limit: number) => boolean): ReadKeyword {
  return (value) => {
    const most = readCount(value, keyword);
    const message = `must NOT have ${word} than ${most} properties`;
    return (each, place, run) => !isObject(each) || holds(keysOf(each, run).length, most) || run.fail(place, message);
  };
}

function keysOf(value: JsonObject, run: Run): readonly string[] {
  const keys = Object.keys(value);
  run.steps.spend(keys.length);
  return keys;
}

const required: ReadKeyword = (value) => {
  const names = readTexts(value, "required");
  return (each, place, run) => {
    if (!isObject(each)) return true;
    run.steps.spend(names.length);
    const missing = names.filter((name) => !Object.hasOwn(each, name));
    for (const name of missing) run.fail(place, `must have required property '${name}'`);
    return missing.length === 0;
  };
};

const dependentRequired: ReadKeyword = (value) => {
  const needs = Object.entries(readMap(value, "dependentRequired"));
  const lists = needs.map(([name, list]) => [name, readTexts(list, "dependentRequired")] as const);
  return (each, place, run) => {
    if (!isObject(each)) return true;
    let isFitting = true;
    for (const [name, list] of lists) {
      run.steps.spend(1 + list.length);
      const missing = Object.hasOwn(each, name) ? list.filter((needed) => !Object.hasOwn(each, needed)) : [];
      for (const needed of missing)
        isFitting = run.fail(place, `must have property ${needed} when property ${name} is present`);
    }
    return isFitting;
  };
};

const dependentSchemas: ReadKeyword = (value, reader) => {
  const entries = Object.entries(readMap(value, "dependentSchemas"));
  const nodes = entries.map(([name, schema]) => [name, reader.node(schema)] as const);
  return (each, place, run, seen) => {
    if (!isObject(each)) return true;
    run.steps.spend(nodes.length);
    let isFitting = true;
    for (const [name, node] of nodes) {
      if (Object.hasOwn(each, name) && !fits(node, each, place, run, seen)) isFitting = false;
    }
    return isFitting;
  };
};

/** Of older drafts: both in one. */
const dependencies: ReadKeyword = (value, reader, siblings) => {
  const entries = Object.entries(readMap(value, "dependencies"));
  const lists = dependentRequired(
    Object.fromEntries(entries.filter(([, each]) => Array.isArray(each))),
    reader,
    siblings,
  );
  const schemas = dependentSchemas(
    Object.fromEntries(entries.filter(([, each]) => !Array.isArray(each))),
    reader,
    siblings,
  );
  return (each, place, run, seen) => {
    const hasNeeded = lists?.(each, place, run, seen) ?? true;
    return (schemas?.(each, place, run, seen) ?? true) && hasNeeded;
  };
};

const propertyNames: ReadKeyword = (value, reader) => {
  const node = reader.node(value);
  return (each, place, run) => {
    if (!isObject(each)) return true;
    const wrong = keysOf(each, run).filter((name) => !fits(node, name, place, run));
    return wrong.length === 0 || run.fail(place, "property name must be valid");
  };
};

const properties: ReadKeyword = (value, reader) => {
  const entries = Object.entries(readMap(value, "properties"));
  const nodes = entries.map(([name, schema]) => [name, reader.node(schema)] as const);
  return (each, place, run, seen) => {
    if (!isObject(each)) return true;
    run.steps.spend(nodes.length);
    let isFitting = true;
    for (const [name, node] of nodes) {
      if (!Object.hasOwn(each, name)) continue;
      if (!fits(node, each[name], { above: place, key: name }, run)) isFitting = false;
      seen?.addProperty(name);
    }
    return isFitting;
  };
};

const patternProperties: ReadKeyword = (value, reader) => {
  const patterns = readPatterns(value, reader);
  return (each, place, run, seen) => {
    if (!isObject(each)) return true;
    let isFitting = true;
    for (const name of keysOf(each, run)) {
      for (const { matches, node } of patterns) {
        if (!matches(name, run)) continue;
        if (!fits(node, each[name], { above: place, key: name }, run)) isFitting = false;
        seen?.addProperty(name);
      }
    }
    return isFitting;
  };
};

interface NamePattern {
  readonly node: SchemaNode;
  readonly matches: (name: string, run: Run) => boolean;
  readonly isChecked: boolean;
}

function readPatterns(value: unknown, reader: Reader): NamePattern[] {
  return Object.entries(readMap(value, "patternProperties")).map(([source, schema]) => {
    const find = readPattern(source, reader);
    return {
      node: reader.node(schema),
      matches: (name, run) => find?.(name, run.steps) ?? false,
      isChecked: find !== undefined,
    };
  });
}

const additionalProperties: ReadKeyword = (value, reader, siblings) => {
  const node = reader.node(value);
  const known = new Set(Object.keys(isObject(siblings.properties) ? siblings.properties : {}));
  const patterns = siblings.patternProperties === undefined ? [] : readPatterns(siblings.patternProperties, reader);
  // Which names such a pattern takes is not known, so none is additional for certain.
  if (patterns.some(({ isChecked }) => !isChecked)) return undefined;
  return (each, place, run, seen) => {
    if (!isObject(each)) return true;
    let isFitting = true;
    for (const name of keysOf(each, run)) {
      if (known.has(name) || patterns.some(({ matches }) => matches(name, run))) continue;
      if (value === false) isFitting = run.fail(place, "must NOT have additional properties", name);
      else if (!fits(node, each[name], { above: place, key: name }, run)) isFitting = false;
    }
    seen?.addAllProperties();
    return isFitting;
  };
};

const unevaluatedProperties: ReadKeyword = (value, reader) => {
  const node = reader.node(value);
  return (each, place, run, seen) => {
    if (!isObject(each)) return true;
    let isFitting = true;
    for (const name of keysOf(each, run)) {
      if (seen?.hasProperty(name)) continue;
      if (value === false) isFitting = run.fail(place, "must NOT have unevaluated properties", name);
      else if (!fits(node, each[name], { above: place, key: name }, run)) isFitting = false;
    }
    seen?.addAllProperties();
    return isFitting;
  };
};

export const objectKeywords: readonly (readonly [string, ReadKeyword])[] = [
  ["maxProperties", countLimit("maxProperties", "more", (count, most) => count <= most)],
  ["minProperties", countLimit("minProperties", "fewer", (count, least) => count >= least)],
  ["required", required],
  ["dependentRequired", dependentRequired],
  ["propertyNames", propertyNames],
  ["additionalProperties", additionalProperties],
  ["dependencies", dependencies],
  ["dependentSchemas", dependentSchemas],
  ["properties", properties],
  ["patternProperties", patternProperties],
];

export const unevaluatedPropertyKeywords: readonly (readonly [string, ReadKeyword])[] = [
  ["unevaluatedProperties", unevaluatedProperties],
];
