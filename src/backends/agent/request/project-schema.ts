import type { Combinator } from "../../../profile/index.js";
import { intersect, isSchema, type Schema, unite } from "./merge-schemas.js";

/** Parts of a schema that are visited. What is left then is described by `{}`, so that no schema takes long. */
const MAX_VISITS = 20_000;
const MAX_FOLLOWED = 8;
/** Parts that stand in the place of a reference to something that was written out before. The schema grows with each of them. */
const MAX_REPEATED = 500;
/** The longest union that is also given to the model in words. */
const MAX_SHOWN_CHARACTERS = 1_000;

/** Keywords whose values are no schemas. */
const valued: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required", "dependentRequired"]);
/** Keywords whose value names schemas. */
const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];
/** What a part may look at that is not a part of it any more. */
const dropped = ["unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef"];
/** What makes a part take more after the projection than before. A reference may lead to such a part. */
const changing = ["$ref", "$id"];
/** What other parts may refer to, and what demands nothing. */
const besideLost: ReadonlySet<string> = new Set(["$schema", "$defs", "definitions", "title", "description"]);

/** All go as soon as one of them is refused: one that stayed would keep the others in its branches. */
const combinators: readonly Combinator[] = ["anyOf", "oneOf", "allOf"];

/** A schema without combinators that takes every value of this one, and perhaps more; the same object if none is refused. */
export function projectSchema(schema: Schema, refused: readonly Combinator[]): Schema {
  if (!holds(schema, refused)) return schema;
  const projected = new Projection(schema).root();
  return withoutLostReferences(projected, projected);
}

class Projection {
  readonly #schema: Schema;
  /** What references in combinators mean, and how many parts it has. */
  readonly #targets = new Map<Schema, { readonly projected: Schema; readonly parts: number }>();
  #visits = 0;
  #repeated = 0;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  root(): Schema {
    return this.#project(this.#schema);
  }

  #project(schema: Schema): Schema {
    if (++this.#visits > MAX_VISITS) return {};
    // Inside a part with an address of its own, references mean something else.
    if (schema !== this.#schema && typeof schema.$id === "string") return {};
    let projected: Schema = this.#ownRules(schema);
    for (const keyword of combinators) {
      const branches = schema[keyword];
      if (!Array.isArray(branches)) continue;
      if (keyword === "allOf") for (const branch of branches) projected = intersect(projected, this.#flat(branch));
      else projected = this.#withUnion(projected, branches);
    }
    return projected;
  }

  #withUnion(schema: Schema, branches: readonly unknown[]): Schema {
    const possible = branches.filter((branch) => branch !== false);
    const united = intersect(schema, unite(possible.map((branch) => this.#flat(branch))));
    const shown = JSON.stringify(branches);
    if (shown.length > MAX_SHOWN_CHARACTERS) return united;
    const before = typeof schema.description === "string" ? `${schema.description}\n` : "";
    return { ...united, description: `${before}It must fit one of these JSON schemas: ${shown}` };
  }

  /** A branch as rules of its own: projected, and with the target in the place of a reference. */
  #flat(branch: unknown): Schema {
    let target = branch;
    for (let followed = 0; isSchema(target) && typeof target.$ref === "string"; followed++) {
      if (followed === MAX_FOLLOWED) return {};
      target = targetOf(target.$ref, this.#schema);
    }
    if (!isSchema(target)) return {};
    return target === branch ? this.#project(target) : this.#projectTarget(target);
  }

  /** Each target is projected once: written out anew at each reference, a few definitions that use each other would be millions of parts. */
  #projectTarget(target: Schema): Schema {
    const known = this.#targets.get(target);
    if (known !== undefined) {
      if (this.#repeated + known.parts > MAX_REPEATED) return {};
      this.#repeated += known.parts;
      return known.projected;
    }
    this.#targets.set(target, { projected: {}, parts: 1 }); // what it contains of itself may be anything
    const before = this.#visits + this.#repeated;
    const projected = this.#project(target);
    this.#targets.set(target, { projected, parts: this.#visits + this.#repeated - before });
    return projected;
  }

  #ownRules(schema: Schema): Schema {
    const lost = new Set([...combinators, ...dropped]);
    // A rule that excludes what fits a schema would exclude more when that schema takes more.
    if (changes(schema.not)) lost.add("not");
    if (changes(schema.if)) for (const keyword of ["if", "then", "else"]) lost.add(keyword);
    if (changes(schema.contains) && "maxContains" in schema) {
      for (const keyword of ["contains", "minContains", "maxContains"]) lost.add(keyword);
    }
    const kept = Object.entries(schema).filter(([keyword]) => !lost.has(keyword));
    return mapParts(kept, (part) => this.#project(part));
  }
}

function changes(part: unknown): boolean {
  return isSchema(part) && holds(part, [...combinators, ...dropped, ...changing]);
}

function holds(schema: Schema, keywords: readonly string[]): boolean {
  if (keywords.some((keyword) => Object.hasOwn(schema, keyword))) return true;
  let isFound = false;
  mapParts(Object.entries(schema), (part) => {
    isFound ||= holds(part, keywords);
    return part;
  });
  return isFound;
}

/** A schema of these rules, with each schema that stands in one of them changed. */
function mapParts(rules: readonly [string, unknown][], change: (part: Schema) => Schema): Schema {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed);
    return isSchema(value) ? change(value) : value;
  };
  const entries = rules.map(([keyword, value]) => {
    if (valued.has(keyword)) return [keyword, value];
    const isNaming = named.includes(keyword) && isSchema(value);
    return [keyword, isNaming ? mapValues(value, changed) : changed(value)];
  });
  return Object.fromEntries(entries);
}

function mapValues(schemas: Schema, change: (value: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, value]) => [name, change(value)]));
}

/** What a reference inside a document means; undefined for references to names and to other documents. */
function targetOf(reference: string, root: Schema): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return undefined;
    target = Reflect.get(target, key);
  }
  return target;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Leaves out references into a combinator, with the rules beside them, which do not count in older drafts. */
function withoutLostReferences(schema: Schema, root: Schema): Schema {
  const target = typeof schema.$ref === "string" ? targetOf(schema.$ref, root) : true;
  const isLost = !isSchema(target) && typeof target !== "boolean";
  const kept = Object.entries(schema).filter(([keyword]) => !isLost || besideLost.has(keyword));
  return mapParts(kept, (part) => withoutLostReferences(part, root));
}
