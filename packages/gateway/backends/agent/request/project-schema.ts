import { followReference, isObject, type JsonObject } from "../../../turn/read-json.js";
import type { Combinator } from "../../profile/index.js";
import { intersect, unite } from "./merge-schemas.js";

/** The most parts of a schema that are visited. The others become `{}`, so that no schema takes long. */
const MAX_VISITS = 20_000;
const MAX_FOLLOWED = 8;
/** The most parts that repeat an already expanded target of a reference. The schema grows with each of them. */
const MAX_REPEATED = 500;
/** The longest union that is also given to the model in words. */
const MAX_SHOWN_CHARACTERS = 1_000;

/** Keywords whose values are not schemas. */
const valued: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required", "dependentRequired"]);
/** Keywords whose value maps names to schemas. */
const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];
/** Keywords that may depend on parts that the projection removes. */
const dropped = ["unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef"];
/** Other keywords through which the projection may widen a part: a reference may lead to a widened one. */
const changing = ["$ref", "$id"];
/** Keywords that stay beside a lost reference: other parts may refer to them, or they restrict nothing. */
const besideLost: ReadonlySet<string> = new Set(["$schema", "$defs", "definitions", "title", "description"]);

/** All are removed as soon as one is refused: one that stayed would keep the others in its branches. */
const combinators: readonly Combinator[] = ["anyOf", "oneOf", "allOf"];

/** A schema without combinators that accepts every value of this one, and perhaps more; the same object if none is refused. */
export function projectSchema(schema: JsonObject, refused: readonly Combinator[]): JsonObject {
  if (!holds(schema, refused)) return schema;
  const projected = new Projection(schema).project(schema);
  return withoutLostReferences(projected, projected);
}

class Projection {
  readonly #schema: JsonObject;
  /** The projected targets of references in combinators, with their numbers of parts. */
  readonly #targets = new Map<JsonObject, { readonly projected: JsonObject; readonly parts: number }>();
  #visits = 0;
  #repeated = 0;

  constructor(schema: JsonObject) {
    this.#schema = schema;
  }

  project(schema: JsonObject): JsonObject {
    if (++this.#visits > MAX_VISITS) return {};
    // Inside a part with its own `$id`, references resolve differently.
    if (schema !== this.#schema && typeof schema.$id === "string") return {};
    let projected: JsonObject = this.#ownRules(schema);
    for (const keyword of combinators) {
      const branches = schema[keyword];
      if (!Array.isArray(branches)) continue;
      if (keyword === "allOf") for (const branch of branches) projected = intersect(projected, this.#flat(branch));
      else projected = this.#withUnion(projected, branches);
    }
    return projected;
  }

  #withUnion(schema: JsonObject, branches: readonly unknown[]): JsonObject {
    const possible = branches.filter((branch) => branch !== false);
    const united = intersect(schema, unite(possible.map((branch) => this.#flat(branch))));
    const shown = JSON.stringify(branches);
    if (shown.length > MAX_SHOWN_CHARACTERS) return united;
    const before = typeof schema.description === "string" ? `${schema.description}\n` : "";
    return { ...united, description: `${before}It must fit one of these JSON schemas: ${shown}` };
  }

  /** A branch as plain rules: projected, with a reference replaced by its target. */
  #flat(branch: unknown): JsonObject {
    let target = branch;
    for (let followed = 0; isObject(target) && typeof target.$ref === "string"; followed++) {
      if (followed === MAX_FOLLOWED) return {};
      target = followReference(this.#schema, target.$ref);
    }
    if (!isObject(target)) return {};
    return target === branch ? this.project(target) : this.#projectTarget(target);
  }

  /** Projects each target once: expanded at each reference, a few definitions that use each other would be millions of parts. */
  #projectTarget(target: JsonObject): JsonObject {
    const known = this.#targets.get(target);
    if (known !== undefined) {
      if (this.#repeated + known.parts > MAX_REPEATED) return {};
      this.#repeated += known.parts;
      return known.projected;
    }
    this.#targets.set(target, { projected: {}, parts: 1 }); // inside itself, it allows anything
    const before = this.#visits + this.#repeated;
    const projected = this.project(target);
    this.#targets.set(target, { projected, parts: this.#visits + this.#repeated - before });
    return projected;
  }

  #ownRules(schema: JsonObject): JsonObject {
    const lost = new Set([...combinators, ...dropped]);
    // A rule that excludes the values of a schema would exclude more of them if the schema were widened.
    if (changes(schema.not)) lost.add("not");
    if (changes(schema.if)) for (const keyword of ["if", "then", "else"]) lost.add(keyword);
    if (changes(schema.contains) && "maxContains" in schema) {
      for (const keyword of ["contains", "minContains", "maxContains"]) lost.add(keyword);
    }
    const kept = Object.entries(schema).filter(([keyword]) => !lost.has(keyword));
    return mapParts(kept, (part) => this.project(part));
  }
}

function changes(part: unknown): boolean {
  return isObject(part) && holds(part, [...combinators, ...dropped, ...changing]);
}

function holds(schema: JsonObject, keywords: readonly string[]): boolean {
  if (keywords.some((keyword) => Object.hasOwn(schema, keyword))) return true;
  let isFound = false;
  mapParts(Object.entries(schema), (part) => {
    isFound ||= holds(part, keywords);
    return part;
  });
  return isFound;
}

/** Applies `change` to each schema inside these rules. */
function mapParts(rules: readonly [string, unknown][], change: (part: JsonObject) => JsonObject): JsonObject {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed);
    return isObject(value) ? change(value) : value;
  };
  const entries = rules.map(([keyword, value]) => {
    if (valued.has(keyword)) return [keyword, value];
    if (!named.includes(keyword) || !isObject(value)) return [keyword, changed(value)];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, changed(part)]))];
  });
  return Object.fromEntries(entries);
}

/** Removes references into a combinator, with the rules beside them, which older drafts ignore. */
function withoutLostReferences(schema: JsonObject, root: JsonObject): JsonObject {
  const target = typeof schema.$ref === "string" ? followReference(root, schema.$ref) : true;
  const isLost = !isObject(target) && typeof target !== "boolean";
  const kept = Object.entries(schema).filter(([keyword]) => !isLost || besideLost.has(keyword));
  return mapParts(kept, (part) => withoutLostReferences(part, root));
}
