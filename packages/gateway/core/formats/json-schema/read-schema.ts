import { decodeUri, followReference, isObject, type JsonObject } from "../../../turn/read-json.js";
import { PatternCompiler } from "../pattern/program.js";
import { anyKeywords, combiningKeywords, dynamicReference, typeKeywords } from "./keywords/any.js";
import { arrayKeywords, oldArrayKeywords, unevaluatedItems } from "./keywords/arrays.js";
import { objectKeywords, unevaluatedProperties } from "./keywords/objects.js";
import { numberKeywords, stringKeywords } from "./keywords/strings.js";
import type { Check, Resource, SchemaNode } from "./node.js";
import { type Draft, type Keywords, type Reader, UselessSchema } from "./reader.js";

/** The base address of schemas without an id. Nothing is ever fetched. */
const HERE = "schema://here/";
const MAX_DEPTH = 1_000;

/** The keywords in the order in which they are checked. Those that depend on others come last. */
const common = [...typeKeywords, ...numberKeywords, ...stringKeywords, ...anyKeywords, ...combiningKeywords];
const keywords: Readonly<Record<Draft, Keywords>> = {
  "draft-07": [...common, ...oldArrayKeywords, ...objectKeywords],
  "2020-12": [
    ...common,
    ["$dynamicRef", dynamicReference],
    ...arrayKeywords,
    ...objectKeywords,
    ["unevaluatedItems", unevaluatedItems],
    ["unevaluatedProperties", unevaluatedProperties],
  ],
};

/** Reads a schema, each part of it once. @throws UselessSchema when it is not a valid schema */
export function readSchema(schema: JsonObject, draft: Draft, onUnchecked: (why: string) => void): SchemaNode {
  return new SchemaReader(schema, draft, onUnchecked).readAll();
}

class SchemaReader implements Reader {
  readonly draft: Draft;
  readonly patterns = new PatternCompiler();
  readonly onUnchecked: (why: string) => void;
  readonly #schema: JsonObject;
  readonly #resources = new Map<string, Resource>();
  readonly #homes = new Map<object, Resource>();
  readonly #nodes = new Map<object, SchemaNode>();
  readonly #unread: [JsonObject, SchemaNode][] = [];
  #home: Resource;

  constructor(schema: JsonObject, draft: Draft, onUnchecked: (why: string) => void) {
    this.#schema = schema;
    this.draft = draft;
    this.onUnchecked = onUnchecked;
    this.#home = createResource(HERE, schema);
    this.#resources.set(HERE, this.#home);
    this.#locate(schema, this.#home, 0);
  }

  readAll(): SchemaNode {
    const root = this.node(this.#schema);
    for (let next = this.#unread.pop(); next !== undefined; next = this.#unread.pop()) this.#fill(...next);
    return root;
  }

  node(schema: unknown): SchemaNode {
    if (typeof schema === "boolean") return { checks: schema ? [] : [never], resource: this.#home, isWatching: false };
    if (!isObject(schema)) throw new UselessSchema("a schema in it is neither an object nor true nor false");
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const isWatching = "unevaluatedProperties" in schema || "unevaluatedItems" in schema;
    const node = { checks: [], resource: this.#homes.get(schema) ?? this.#home, isWatching };
    this.#nodes.set(schema, node);
    this.#unread.push([schema, node]);
    return node;
  }

  refer(reference: string): { node: SchemaNode; dynamicName: string | undefined } {
    const [address = "", fragment = ""] = this.#resolve(reference, this.#home.address).split("#", 2);
    const resource = this.#resources.get(address);
    if (resource === undefined) throw new UselessSchema(`it refers to ${reference}, which is not part of it`);
    const name = decodeUri(fragment);
    const target = followReference(resource.root, `#${fragment}`) ?? resource.anchors.get(name);
    if (target === undefined) throw new UselessSchema(`it refers to ${reference}, which is not part of it`);
    return { node: this.node(target), dynamicName: resource.dynamicAnchors.has(name) ? name : undefined };
  }

  #fill(schema: JsonObject, node: SchemaNode): void {
    this.#home = node.resource;
    for (const [name, read] of keywords[this.draft]) {
      const value = Object.hasOwn(schema, name) ? schema[name] : undefined;
      if (value === undefined) continue;
      const check = read(value, this, schema);
      if (check !== undefined) node.checks.push(check);
    }
  }

  /** Finds the addresses and names of all parts first, because references may come before their targets. */
  #locate(schema: JsonObject, above: Resource, depth: number): void {
    if (depth > MAX_DEPTH) throw new UselessSchema(`it is nested more than ${MAX_DEPTH} deep`);
    const home = this.#homeOf(schema, above);
    this.#homes.set(schema, home);
    const { $anchor, $dynamicAnchor } = schema;
    if (typeof $anchor === "string") home.anchors.set($anchor, schema);
    if (typeof $dynamicAnchor === "string") {
      home.anchors.set($dynamicAnchor, schema);
      this.#home = home;
      home.dynamicAnchors.set($dynamicAnchor, this.node(schema));
    }
    for (const inner of locateSubschemas(schema)) if (isObject(inner)) this.#locate(inner, home, depth + 1);
  }

  #homeOf(schema: JsonObject, above: Resource): Resource {
    const id = schema.$id;
    if (typeof id !== "string") return above;
    const [address = "", name = ""] = this.#resolve(id, above.address).split("#", 2);
    if (id.startsWith("#")) {
      above.anchors.set(name, schema);
      return above;
    }
    const home = createResource(address, schema);
    this.#resources.set(address, home);
    return home;
  }

  #resolve(reference: string, base: string): string {
    if (!URL.canParse(reference, base)) throw new UselessSchema(`${reference} is not an address`);
    return new URL(reference, base).href;
  }
}

function createResource(address: string, root: unknown): Resource {
  return { address, root, anchors: new Map(), dynamicAnchors: new Map() };
}

const never: Check = (_, position, run) => run.fail(position, "is not allowed");

const single = new Set([
  ..."additionalItems additionalProperties contains else if items not propertyNames then".split(" "),
  ..."unevaluatedItems unevaluatedProperties".split(" "),
]);
const lists = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const maps = new Set(["$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties", "properties"]);

function* locateSubschemas(schema: JsonObject): Generator<unknown> {
  for (const [key, value] of Object.entries(schema)) {
    if (single.has(key)) yield value;
    if (lists.has(key) && Array.isArray(value)) yield* value;
    if (maps.has(key) && isObject(value)) yield* Object.values(value);
  }
}
