import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import { type Allowances, anthropicAllowances, openAiAllowances } from "./allowances.js";
import type { AnthropicReplies } from "./anthropic-types.js";
import type { OpenAiReplies } from "./openai-types.js";

/** The name of a type that a vendor's service sends. */
export type VendorShape = `openai.${keyof OpenAiReplies}` | `anthropic.${keyof AnthropicReplies}`;

interface ObjectSchema {
  properties: Record<string, object>;
  required?: string[];
}
type Definitions = Record<string, object>;

const vendors = {
  openai: { root: "OpenAiReplies", allowances: openAiAllowances },
  anthropic: { root: "AnthropicReplies", allowances: anthropicAllowances },
} as const;

/** Validates against the types of the official packages, with the schemas beside this file. */
export class VendorShapes {
  readonly #ajv = new Ajv({ strict: true, allowUnionTypes: true, verbose: true });
  readonly #definitions: Record<keyof typeof vendors, Definitions>;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor() {
    this.#definitions = { openai: readDefinitions("openai"), anthropic: readDefinitions("anthropic") };
    for (const [name, definitions] of Object.entries(this.#definitions)) {
      this.#ajv.addSchema({ $id: name, definitions });
    }
  }

  /** @throws if the value does not have this shape. */
  check(shape: VendorShape, value: unknown): void {
    const [vendor, name] = shape.split(".") as [keyof typeof vendors, string];
    const { properties } = objectIn(this.#definitions[vendor], vendors[vendor].root);
    const schema = this.#narrow(this.#definitions[vendor], properties[name] ?? {}, value);
    const key = `${vendor} ${JSON.stringify(schema)}`;
    const validate = this.#validators.get(key) ?? this.#ajv.compile(absolute(schema, vendor));
    this.#validators.set(key, validate);
    if (validate(value)) return;
    const faults = (validate.errors ?? [])
      .filter(({ keyword }) => keyword !== "anyOf" && keyword !== "const")
      .sort((a, b) => b.instancePath.length - a.instancePath.length)
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
    throw new Error(`no ${shape}: ${faults.slice(0, 5).join("; ")} in ${JSON.stringify(value).slice(0, 500)}`);
  }

  /** Selects the schema for the value's `type`, so that only its faults are reported. */
  #narrow(definitions: Definitions, schema: object, value: unknown): object {
    const target = follow(definitions, schema);
    const branches: unknown = Reflect.get(target, "anyOf");
    if (!Array.isArray(branches) || typeof value !== "object" || value === null) return schema;
    const type: unknown = Reflect.get(value, "type");
    const fitting = branches.filter((branch) => {
      const properties: unknown = Reflect.get(follow(definitions, branch), "properties");
      const typeSchema: unknown = Reflect.get(Object(properties), "type");
      return Reflect.get(Object(typeSchema), "const") === type;
    });
    return fitting.length === 1 ? fitting[0] : schema;
  }
}

function readDefinitions(name: keyof typeof vendors): Definitions {
  const text = readFileSync(`${import.meta.dirname}/${name}.schema.json`, "utf8");
  const { definitions } = JSON.parse(text) as { definitions: Definitions };
  allow(definitions, vendors[name].allowances);
  return definitions;
}

function allow(definitions: Definitions, { nulls, made, words, ours }: Allowances): void {
  each(nulls, (type, field) => {
    const { properties } = objectIn(definitions, type);
    properties[field] = { anyOf: [known(properties, type, field), { type: "null" }] };
  });
  each(made, (type, field) => {
    const { properties, required = [] } = objectIn(definitions, type);
    known(properties, type, field);
    required.splice(required.indexOf(field), 1);
  });
  each(words, (type, field) => {
    const { properties } = objectIn(definitions, type);
    known(properties, type, field);
    properties[field] = { type: "string" };
  });
  each(ours, (type, field) => {
    const { properties } = objectIn(definitions, type);
    if (field in properties) throw new Error(`${type} now has ${field} itself: remove it from the list`);
    properties[field] = {};
  });
}

function each(fields: Readonly<Record<string, readonly string[]>>, act: (type: string, field: string) => void): void {
  for (const [type, names] of Object.entries(fields)) for (const name of names) act(type, name);
}

function known(properties: Record<string, object>, type: string, field: string): object {
  const schema = properties[field];
  if (schema === undefined) throw new Error(`${type} no longer has ${field}: remove it from the list`);
  return schema;
}

function objectIn(definitions: Definitions, name: string): ObjectSchema {
  const schema = definitions[name];
  if (schema === undefined || !("properties" in schema)) throw new Error(`The object type ${name} no longer exists.`);
  return schema as ObjectSchema;
}

function follow(definitions: Definitions, schema: object): object {
  const ref: unknown = Reflect.get(schema, "$ref");
  if (typeof ref !== "string") return schema;
  return follow(definitions, definitions[decodeURIComponent(ref.replace("#/definitions/", ""))] ?? {});
}

/** References are relative to the vendor's schema. */
function absolute(schema: object, vendor: string): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', `"$ref":"${vendor}#`));
}
