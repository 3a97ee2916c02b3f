import { isObject, type JsonObject } from "../../../../turn/read-json.js";
import { allFit, type Check, type CheckContext, fits, type Run, type SchemaNode, type Seen } from "../node.js";
import type { Keywords, Reader, ReadKeyword } from "../reader.js";
import { countLimits, readMap, readPattern, readTexts } from "./read-value.js";

/** A rule about objects. Values of other types pass it. */
function forObjects(check: (object: JsonObject, ...rest: CheckContext) => boolean): Check {
  return (value, position, run, seen) => !isObject(value) || check(value, position, run, seen);
}

function keysOf(value: JsonObject, run: Run): readonly string[] {
  const keys = Object.keys(value);
  run.steps.spend(keys.length);
  return keys;
}

const required: ReadKeyword = (value) => {
  const names = readTexts(value, "required");
  return forObjects((object, position, run) => {
    run.steps.spend(names.length);
    const missing = names.filter((name) => !Object.hasOwn(object, name));
    for (const name of missing) run.fail(position, `must have required property '${name}'`);
    return missing.length === 0;
  });
};

const dependentRequired: ReadKeyword = (value) => {
  const needs = Object.entries(readMap(value, "dependentRequired"));
  const lists = needs.map(([name, list]) => [name, readTexts(list, "dependentRequired")] as const);
  return forObjects((object, position, run) =>
    allFit(lists, ([name, list]) => {
      run.steps.spend(1 + list.length);
      const missing = Object.hasOwn(object, name) ? list.filter((needed) => !Object.hasOwn(object, needed)) : [];
      for (const needed of missing) run.fail(position, `must have property ${needed} when property ${name} is present`);
      return missing.length === 0;
    }),
  );
};

const dependentSchemas: ReadKeyword = (value, reader) => {
  const nodes = readNodes(value, "dependentSchemas", reader);
  return forObjects((object, position, run, seen) => {
    run.steps.spend(nodes.length);
    return allFit(nodes, ([name, node]) => !Object.hasOwn(object, name) || fits(node, object, position, run, seen));
  });
};

/** The keyword of older drafts, which combines the two above. */
const dependencies: ReadKeyword = (value, reader, siblings) => {
  const entries = Object.entries(readMap(value, "dependencies"));
  const part = (isList: boolean) => Object.fromEntries(entries.filter(([, each]) => Array.isArray(each) === isList));
  const checks = [dependentRequired(part(true), reader, siblings), dependentSchemas(part(false), reader, siblings)];
  return (each, position, run, seen) => allFit(checks, (check) => check?.(each, position, run, seen) ?? true);
};

const propertyNames: ReadKeyword = (value, reader) => {
  const node = reader.node(value);
  return forObjects((object, position, run) => {
    const areValid = allFit(keysOf(object, run), (name) => fits(node, name, position, run));
    return areValid || run.fail(position, "property name must be valid");
  });
};

const properties: ReadKeyword = (value, reader) => {
  const nodes = readNodes(value, "properties", reader);
  return forObjects((object, position, run, seen) => {
    run.steps.spend(nodes.length);
    return allFit(nodes, ([name, node]) => {
      if (!Object.hasOwn(object, name)) return true;
      seen?.properties.add(name);
      return fits(node, object[name], { above: position, key: name }, run);
    });
  });
};

const patternProperties: ReadKeyword = (value, reader) => {
  const patterns = readPatterns(value, reader);
  return forObjects((object, position, run, seen) => {
    const checkName = (name: string) =>
      allFit(patterns, ({ matches, node }) => {
        if (!matches(name, run)) return true;
        seen?.properties.add(name);
        return fits(node, object[name], { above: position, key: name }, run);
      });
    return allFit(keysOf(object, run), checkName);
  });
};

function readNodes(value: unknown, keyword: string, reader: Reader): (readonly [string, SchemaNode])[] {
  return Object.entries(readMap(value, keyword)).map(([name, schema]) => [name, reader.node(schema)]);
}

function readPatterns(value: unknown, reader: Reader) {
  return Object.entries(readMap(value, "patternProperties")).map(([source, schema]) => {
    const find = readPattern(source, reader);
    return {
      node: reader.node(schema),
      matches: (name: string, run: Run) => find?.(name, run.steps) ?? false,
      isChecked: find !== undefined,
    };
  });
}

const additionalProperties: ReadKeyword = (value, reader, siblings) => {
  const node = reader.node(value);
  const known = new Set(Object.keys(isObject(siblings.properties) ? siblings.properties : {}));
  const patterns = siblings.patternProperties === undefined ? [] : readPatterns(siblings.patternProperties, reader);
  // An unchecked pattern may match any name, so no property is certainly additional.
  if (patterns.some(({ isChecked }) => !isChecked)) return undefined;
  const isKnown = (name: string, run: Run) => known.has(name) || patterns.some(({ matches }) => matches(name, run));
  return otherProperties(isKnown, value === false ? "must NOT have additional properties" : node);
};

export const unevaluatedProperties: ReadKeyword = (value, reader) => {
  const node = reader.node(value);
  const isKnown = (name: string, _: Run, seen: Seen | undefined) => seen?.hasProperty(name) === true;
  return otherProperties(isKnown, value === false ? "must NOT have unevaluated properties" : node);
};

/** The rule for all other properties: the schema that they have to fit, or the message when they are not allowed. */
function otherProperties(
  isKnown: (name: string, run: Run, seen: Seen | undefined) => boolean,
  rule: SchemaNode | string,
): Check {
  return forObjects((object, position, run, seen) => {
    const isFitting = allFit(keysOf(object, run), (name) => {
      if (isKnown(name, run, seen)) return true;
      if (typeof rule === "string") return run.fail(position, rule, name);
      return fits(rule, object[name], { above: position, key: name }, run);
    });
    if (seen !== undefined) seen.hasAllProperties = true;
    return isFitting;
  });
}

export const objectKeywords: Keywords = [
  ...countLimits("Properties", "properties", (value, run) => (isObject(value) ? keysOf(value, run).length : undefined)),
  ["required", required],
  ["dependentRequired", dependentRequired],
  ["propertyNames", propertyNames],
  ["additionalProperties", additionalProperties],
  ["dependencies", dependencies],
  ["dependentSchemas", dependentSchemas],
  ["properties", properties],
  ["patternProperties", patternProperties],
];
