import { field, listField } from "../../../turn/read-json.js";

/** Schemas that are read for one tool. Clients write schemas for models, so real ones are far smaller. */
const MAX_SCHEMAS = 200;
/** Deeper objects are named and not described. */
const MAX_DEPTH = 3;
const MAX_CHOICES = 8;

/**
 * The arguments of a tool in one line, as models know them from code: `city: string, days?: integer, unit?: "C" | "F"`. It is for
 * reading and not exact; what it leaves out is marked with `…`.
 */
export function signatureOf(schema: Readonly<Record<string, unknown>>, whichOnes: "all" | "required"): string {
  return new SignatureWriter(schema).fields(schema, 0, whichOnes);
}

class SignatureWriter {
  readonly #root: unknown;
  #left = MAX_SCHEMAS;

  constructor(root: unknown) {
    this.#root = root;
  }

  fields(schema: unknown, depth: number, whichOnes: "all" | "required" = "all"): string {
    const properties = field(schema, "properties");
    const required = new Set(listField(schema, "required"));
    const all = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
    const shown = whichOnes === "all" ? all : all.filter(([key]) => required.has(key));
    const written: string[] = [];
    for (const [key, value] of shown) {
      if (this.#left <= 0) break;
      written.push(`${named(key)}${required.has(key) ? "" : "?"}: ${this.#type(value, depth + 1)}`);
    }
    if (written.length < all.length) written.push("…");
    return written.join(", ");
  }

  #type(schema: unknown, depth: number): string {
    if (this.#left-- <= 0) return "…";
    const choices = field(schema, "const") === undefined ? field(schema, "enum") : [field(schema, "const")];
    if (Array.isArray(choices)) return union(choices.slice(0, MAX_CHOICES).map(literal), choices.length > MAX_CHOICES);
    const reference = field(schema, "$ref");
    if (typeof reference === "string")
      return depth > MAX_DEPTH ? "any" : this.#type(this.#resolve(reference), depth + 1);
    const options = field(schema, "anyOf") ?? field(schema, "oneOf");
    if (Array.isArray(options)) {
      return union(
        options.slice(0, MAX_CHOICES).map((option) => this.#type(option, depth)),
        options.length > MAX_CHOICES,
      );
    }
    const type = field(schema, "type");
    if (Array.isArray(type))
      return union(
        type.slice(0, MAX_CHOICES).map((each) => this.#plain(each, schema, depth)),
        false,
      );
    return this.#plain(type, schema, depth);
  }

  #plain(type: unknown, schema: unknown, depth: number): string {
    if (type === "array") {
      const items = field(schema, "items");
      const item = items === undefined ? "any" : this.#type(items, depth);
      return item.includes(" | ") && !item.endsWith("}") ? `(${item})[]` : `${item}[]`;
    }
    const hasFields = type === "object" || (type === undefined && field(schema, "properties") !== undefined);
    if (!hasFields) return typeof type === "string" && /^\w{1,20}$/.test(type) ? type : "any";
    const fields = depth < MAX_DEPTH ? this.fields(schema, depth) : "";
    return fields === "" ? "object" : `{${fields}}`;
  }

  #resolve(reference: string): unknown {
    const [start, ...steps] = reference.split("/", MAX_CHOICES);
    return start === "#" ? steps.reduce<unknown>((found, step) => ownField(found, step), this.#root) : undefined;
  }
}

function ownField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? field(value, name) : undefined;
}

function union(types: readonly string[], isCut: boolean): string {
  return [...new Set(types), ...(isCut ? ["…"] : [])].join(" | ") || "any";
}

function named(key: string): string {
  return /^[\w$-]{1,64}$/.test(key) ? key : JSON.stringify(key.slice(0, 64));
}

function literal(value: unknown): string {
  const text = JSON.stringify(value) ?? "any";
  return text.length <= 64 ? text : "…";
}
